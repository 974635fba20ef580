"""The table of settings: a row has the name in the environment, what counts where nothing is set, and what it means.

The names are those of the Assisted Installer where it has one, and those that everybody knows for what is Amazon's; all
others begin with MUSTER. A field that is named like one of `Policy` is what decisions depend on as it is.
"""

from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

from muster.domain.base_image_settings import BaseImageSettings
from muster.domain.discovery_settings import DiscoverySettings
from muster.domain.inputs.releases import ReleaseEntry
from muster.domain.inputs.requirements import Entry
from muster.domain.installer_settings import InstallerSettings
from muster.domain.network_defaults import NetworkDefaults
from muster.domain.operators.settings import OperatorSettings
from muster.domain.policy import Policy
from muster.domain.progress import FinalizingStage, Stage
from muster.domain.record import Record
from muster.domain.releases import OsImage, ReleaseSource
from muster.domain.setting import setting

from .forms import Bytes, Count, Port, Times, Words
from .names import NameSettings

SHIPPED = Policy()

AuthType = Literal["none", "local", "rhsso", "agent-installer-local"]
LogFormat = Literal["json", "text"]
LogLevel = Literal["debug", "info", "warning", "error", "trace", "warn", "fatal", "panic"]
StorageKind = Literal["", "filesystem", "s3"]
TlsVersion = Literal["", "VersionTLS12", "VersionTLS13"]


class Settings(Record):
    """How this process runs. The names in capitals are those of the environment."""

    # The process.
    host: str = setting("MUSTER_HOST", "0.0.0.0", "The address to listen on.")  # noqa: S104 - agents come from everywhere
    port: Port = setting("MUSTER_PORT", 8090, "The port to listen on.")
    http_port: Port | None = setting(
        "HTTP_LISTEN_PORT",
        None,
        "A second port without TLS; beside HTTPS it serves iPXE scripts and what they start, and nothing else.",
    )
    https_cert: str = setting(
        "HTTPS_CERT_FILE", "", "The certificates, in PEM form, with which the service shows who it is; turns HTTPS on."
    )
    https_key: str = setting("HTTPS_KEY_FILE", "", "The private key, in PEM form, that belongs to the certificate.")
    tls_version: TlsVersion = setting("TLS_MIN_VERSION", "", "The oldest TLS that is spoken; if empty, TLS 1.2.")
    tls_ciphers: Words = setting(
        "TLS_CIPHER_SUITES",
        frozenset(),
        "The ciphers of TLS 1.2 that are spoken, if TLS_MIN_VERSION is set; if none, all.",
    )
    service_base_url: str = setting(
        "SERVICE_BASE_URL",
        "",
        "Where agents, scripts and links find the service; if empty, at its port on this machine.",
    )
    image_service_base_url: str = setting(
        "IMAGE_SERVICE_BASE_URL", "", "Where discovery images are to be had; if empty, where the service is."
    )
    allowed_origins: Words = setting(
        "ALLOWED_DOMAINS", frozenset(), "The web sites whose pages may call the service from a browser; none if empty."
    )
    streams: Count = setting(
        "MAX_CONCURRENT_REQUESTS", 400, "Images that are sent at once at most; whoever asks for one more waits."
    )
    reject_unknown_fields: bool = setting(
        "ENABLE_REJECT_UNKNOWN_FIELDS", True, "Whether a body with a field that nobody knows is refused."
    )
    log_level: LogLevel = setting("LOG_LEVEL", "info", "How much is logged; debug shows every call that only reads.")
    log_format: LogFormat = setting("LOG_FORMAT", "json", "Whether the log is written for programs or for people.")
    self_version: str = setting("SELF_VERSION", "", "What the service says its version is; if empty, its own.")
    release_tag: str = setting("RELEASE_TAG", "", "The tag under which this installation was made, shown as it is.")
    kube_api: bool = setting(
        "ENABLE_KUBE_API", SHIPPED.kube_api, "Whether clusters are watched from within, by way of Kubernetes resources."
    )

    # Where things are kept.
    data: str = setting("MUSTER_DATA", "", "The folder for database and files; if empty, WORK_DIR, else ./data.")
    work_dir: str = setting("WORK_DIR", "", "The same under the name that others know.")
    database: str = setting(
        "MUSTER_DATABASE",
        "",
        "sqlite:///file or postgresql://user@host/name; if empty, DB_*, else a file in the folder.",
    )
    db_host: str = setting("DB_HOST", "", "The machine, or folder with the socket, of a PostgreSQL to keep records in.")
    db_port: Port = setting("DB_PORT", 5432, "The port of that PostgreSQL.")
    db_name: str = setting("DB_NAME", "", "The database in that PostgreSQL.")
    db_user: str = setting("DB_USER", "", "Who signs in to that PostgreSQL.")
    db_pass: str = setting("DB_PASS", "", "The password for it.", secret=True)
    db_connections: Count = setting(
        "DB_MAX_OPEN_CONNECTIONS",
        20,
        "The connections to PostgreSQL that this process opens at most, besides listening.",
    )
    db_lifetime: timedelta = setting(
        "DB_CONNECTIONS_MAX_LIFETIME",
        timedelta(minutes=30),
        "The age from which a connection is replaced by a new one.",
    )
    storage: str = setting(
        "MUSTER_STORAGE", "", "A folder or s3://bucket/prefix for generated files and logs; if empty, as STORAGE says."
    )
    storage_kind: StorageKind = setting(
        "STORAGE", "", "Whether files are in the folder or in the bucket; if empty, in the bucket if S3_BUCKET is set."
    )
    s3_bucket: str = setting("S3_BUCKET", "", "The bucket for generated files and logs.")
    s3_endpoint: str = setting("S3_ENDPOINT_URL", "", "Where the bucket is; if empty, at AWS.")
    s3_region: str = setting("S3_REGION", "us-east-1", "The region the bucket is in.")
    s3_ssl: bool = setting(
        "S3_USE_SSL", False, "Whether an S3_ENDPOINT_URL without https:// or http:// means https://."
    )
    s3_key_id: str = setting("AWS_ACCESS_KEY_ID", "", "Who signs in to the bucket.")
    s3_key: str = setting("AWS_SECRET_ACCESS_KEY", "", "The secret that belongs to it.", secret=True)

    # Who is let in.
    auth_type: AuthType = setting(
        "AUTH_TYPE", "none", "Who is let in: with none everybody, with local who has a token signed with the key below."
    )
    private_key: str = setting(
        "EC_PRIVATE_KEY_PEM", "", "The P-256 key, in PEM form or that in base64, that signs tokens.", secret=True
    )
    public_key: str = setting(
        "EC_PUBLIC_KEY_PEM", "", "The key that tokens are checked with; if empty, it follows from the other one."
    )
    scoped_tokens: bool = setting(
        "LOCAL_AUTH_ENFORCE_RESOURCE_SCOPE",
        True,
        "Whether a token opens only the discovery image or cluster it is for.",
    )
    link_lasts: timedelta = setting(
        "IMAGE_EXPIRATION_TIME",
        timedelta(hours=4),
        "How long a short link to a discovery image lasts at least, where callers are asked who they are; 0: for ever.",
    )

    # What is installed.
    release_images: tuple[ReleaseEntry, ...] = setting(
        "RELEASE_IMAGES", (), "The OpenShift releases on offer, besides the lab's."
    )
    release_sources: tuple[ReleaseSource, ...] = setting(
        "RELEASE_SOURCES", (), "The channels that releases may come from; they are shown, and not followed."
    )
    ignored_versions: tuple[str, ...] = setting(
        "IGNORED_OPENSHIFT_VERSIONS", (), "Versions, as x.y or x.y.z, that are neither shown nor installed."
    )
    os_images: tuple[OsImage, ...] = setting("OS_IMAGES", (), "The systems that machines can be discovered with.")
    base_images: BaseImageSettings = BaseImageSettings()
    installers: InstallerSettings = InstallerSettings()
    agent_image: str = setting(
        "AGENT_DOCKER_IMAGE", SHIPPED.agent_image, "The image of the agent on discovered machines."
    )
    installer_image: str = setting("INSTALLER_IMAGE", SHIPPED.installer_image, "The image of what installs a machine.")
    controller_image: str = setting(
        "CONTROLLER_IMAGE", SHIPPED.controller_image, "The image of what watches a new cluster from within."
    )
    must_gather_images: dict[str, dict[str, str]] = setting(
        "MUST_GATHER_IMAGES", {}, "By version and component, the images that gather what went wrong."
    )
    public_registries: Words = setting(
        "PUBLIC_CONTAINER_REGISTRIES", SHIPPED.public_registries, "Registries for which a pull secret needs no entry."
    )
    ntp_default: str = setting("NTP_DEFAULT_SERVER", "", "A time source that every machine gets besides its own.")
    discovery: DiscoverySettings = SHIPPED.discovery
    networks: NetworkDefaults = SHIPPED.networks
    names: NameSettings = NameSettings()
    check_cluster_version: bool = setting(
        "CHECK_CLUSTER_VERSION",
        SHIPPED.check_cluster_version,
        "Whether a cluster is watched for its version operator too.",
    )
    single_node_dnsmasq: bool = setting(
        "ENABLE_SINGLE_NODE_DNSMASQ", SHIPPED.single_node_dnsmasq, "Whether a single node answers for its own names."
    )
    disk_encryption_cipher: str = setting(
        "DISK_ENCRYPTION_CIPHER",
        SHIPPED.disk_encryption_cipher,
        "The cipher with which disks are encrypted, as cryptsetup knows it; if empty, one that the service may use.",
    )
    skip_mco_reboot: bool = setting(
        "ENABLE_SKIP_MCO_REBOOT",
        SHIPPED.skip_mco_reboot,
        "Whether a machine is spared its second restart where possible.",
    )

    # What may be asked for.
    arbiters: bool = setting("TNA_CLUSTERS_SUPPORT", SHIPPED.arbiters, "Whether clusters may have an arbiter.")
    fencing: bool = setting("TNF_CLUSTERS_SUPPORT", SHIPPED.fencing, "Whether two machines may fence each other.")
    ipv6: bool = setting("IPV6_SUPPORT", SHIPPED.ipv6, "Whether IPv6 may be used.")
    disk_encryption: bool = setting(
        "DISK_ENCRYPTION_SUPPORT", SHIPPED.disk_encryption, "Whether disks may be encrypted."
    )

    # How hosts are judged.
    hardware: tuple[Entry, ...] = setting(
        "HW_VALIDATOR_REQUIREMENTS", (), "What a machine needs for each role, by version; if empty, as shipped."
    )
    minutes_apart: Count = setting(
        "HW_VALIDATOR_MAX_TIME_DIFF_MINUTES",
        SHIPPED.minutes_apart,
        "The minutes by which the clocks of two hosts of a cluster may differ.",
    )
    edge_products: Words = setting(
        "EDGE_WORKERS_PRODUCT_NAMES", SHIPPED.edge_products, "Machines that serve at the edge, by product name."
    )
    disabled_host_validations: Words = setting(
        "DISABLED_HOST_VALIDATIONS", frozenset(), "Checks of hosts that are not made, by id."
    )
    disabled_cluster_validations: Words = setting(
        "DISABLED_CLUSTER_VALIDATIONS", frozenset(), "Checks of clusters that are not made, by id."
    )
    auto_assign: bool = setting(
        "ENABLE_AUTO_ASSIGN", SHIPPED.auto_assign, "Whether hosts get a role where the user has asked for none."
    )
    bootstrap_mac: str = setting(
        "BOOTSTRAP_HOST_MAC", "", "The MAC address of the machine that is to be the bootstrap."
    )
    operators: OperatorSettings = SHIPPED.operators

    # What agents are told.
    disabled_steps: Words = setting("DISABLED_STEPS", frozenset(), "Steps that agents are never asked to do.")
    upgrade_agents: bool = setting(
        "ENABLE_UPGRADE_AGENT",
        SHIPPED.upgrade_agents,
        "Whether an agent of another image than the expected is replaced.",
    )
    virtual_interfaces: bool = setting(
        "ENABLE_VIRTUAL_INTERFACES", SHIPPED.virtual_interfaces, "Whether inventories tell of virtual interfaces."
    )
    inventory_max_size: Bytes = setting(
        "AGENT_INVENTORY_MAX_SIZE", SHIPPED.inventory_max_size, "The bytes from which an agent shortens its inventory."
    )
    inventory_disk_min_size: Bytes = setting(
        "AGENT_INVENTORY_DISK_MIN_SIZE", SHIPPED.inventory_disk_min_size, "The size below which disks are not told of."
    )

    # How long things may take.
    soft_timeouts: bool = setting(
        "ENABLE_SOFT_TIMEOUTS", SHIPPED.soft_timeouts, "Whether what takes too long is told of instead of failed."
    )
    disconnection: timedelta = setting(
        "HOST_MAX_DISCONNECTION_TIME", SHIPPED.disconnection, "How long a host may be silent and count as connected."
    )
    disk_check: timedelta = setting("DISK_CHECK_TIMEOUT", SHIPPED.disk_check, "How long measuring a disk may take.")
    image_availability: timedelta = setting(
        "IMAGE_AVAILABILITY_TIMEOUT", SHIPPED.image_availability, "How long fetching the container images may take."
    )
    cluster_preparation: timedelta = setting(
        "PREPARE_FOR_INSTALLATION_TIMEOUT", timedelta(minutes=10), "How long a cluster may prepare."
    )
    host_preparation: timedelta = setting(
        "PREPARE_FOR_INSTALLATION_HOST_TIMEOUT", timedelta(minutes=8), "How long a host may prepare."
    )
    installation: timedelta = setting("INSTALLATION_TIMEOUT", SHIPPED.installation, "How long installing may take.")
    finalizing: timedelta = setting(
        "FINALIZING_TIMEOUT", SHIPPED.finalizing, "How long a new cluster may take to settle."
    )
    host_user_action: timedelta = setting(
        "HOST_INSTALLING_PENDING_USER_ACTION_TIMEOUT",
        SHIPPED.host_user_action,
        "How long a host may wait for its user.",
    )
    identity_memory: timedelta = setting(
        "MUSTER_IDENTITY_MEMORY",
        SHIPPED.identity_memory,
        "How long a machine is remembered that reports as another one.",
    )
    resetting: timedelta = setting("RESET_CLUSTER_TIMEOUT", SHIPPED.resetting, "How long starting over may take.")
    inactivity: timedelta = setting(
        "DELETED_INACTIVE_AFTER", SHIPPED.inactivity, "How long a cluster may go without any change."
    )
    cluster_logs_pending: timedelta = setting(
        "LOG_PENDING_TIMEOUT", SHIPPED.cluster_logs.first, "How long logs of a cluster may be waited for to begin."
    )
    cluster_logs_collection: timedelta = setting(
        "LOG_COLLECTION_TIMEOUT", SHIPPED.cluster_logs.upload, "How long collecting logs of a cluster may take."
    )
    host_logs_pending: timedelta = setting(
        "HOST_LOG_PENDING_TIMEOUT", SHIPPED.host_logs.first, "How long logs of a host may be waited for to begin."
    )
    host_logs_collection: timedelta = setting(
        "HOST_LOG_COLLECTION_TIMEOUT", SHIPPED.host_logs.upload, "How long collecting logs of a host may take."
    )
    stage_limits: dict[Stage, timedelta] = setting(
        "HOST_STAGE_<STAGE>_TIMEOUT", {}, "How long a host may go without news in a stage of its installation."
    )
    finalizing_limits: dict[FinalizingStage, timedelta] = setting(
        "FINALIZING_STAGE_<STAGE>_TIMEOUT", {}, "How long a new cluster may take for a stage."
    )
    event_limits: Times = setting(
        "EVENT_RATE_LIMITS", {}, "At least how far apart events of a name are told of the same thing."
    )
    deleted_kept: timedelta = setting(
        "DELETED_UNREGISTERED_AFTER", SHIPPED.deleted_kept, "How long logs and manifests outlive their cluster."
    )
    infra_env_inactivity: timedelta = setting(
        "INFRAENV_DELETED_INACTIVE_AFTER",
        SHIPPED.infra_env_inactivity,
        "How long an infra-env may go without any change, unless a cluster needs it or its hosts are heard of.",
    )
    deregister_inactive: bool = setting(
        "ENABLE_DEREGISTER_INACTIVE_GC",
        SHIPPED.deregister_inactive,
        "Whether clusters that nobody touches are given up after that time.",
    )
    forgets: bool = setting(
        "ENABLE_DELETE_UNREGISTER_GC",
        SHIPPED.forgets,
        "Whether what was given up is deleted for good some time later.",
    )

    def __repr__(self) -> str:
        # Some of them are secrets, and whoever shows an object does not ask which.
        return "Settings(...)"

    @property
    def folder(self) -> Path:
        """The folder for everything that has no other place."""
        return Path(self.data or self.work_dir or "data").absolute()

    @property
    def images_folder(self) -> Path:
        """The folder for the files of system images."""
        return Path(self.base_images.images_dir or self.folder / "images").absolute()

    @property
    def database_url(self) -> str:
        """Where the records are kept: where it was said, in the PostgreSQL of DB_*, else in a file in the folder."""
        if self.database:
            return self.database
        if not self.db_host:
            return f"sqlite:///{self.folder / 'muster.db'}"
        login = ":".join(quote(each, safe="") for each in (self.db_user, self.db_pass) if each)
        place = {"host": self.db_host, "port": self.db_port}
        return f"postgresql://{login}@/{quote(self.db_name, safe='')}?{urlencode(place)}"

    @property
    def storage_url(self) -> str:
        """Where the files are kept: where it was said, in the bucket, else in the folder."""
        if self.storage:
            return self.storage
        if not self.s3_bucket or self.storage_kind == "filesystem":
            return str(self.folder / "files")
        return f"s3://{self.s3_bucket}?{urlencode(self._bucket)}"

    @property
    def _bucket(self) -> dict[str, str]:
        """How the bucket is reached."""
        endpoint = self.s3_endpoint
        if endpoint and "://" not in endpoint:
            endpoint = f"{'https' if self.s3_ssl else 'http'}://{endpoint}"
        return {"region": self.s3_region} | ({"endpoint": endpoint} if endpoint else {})

    @property
    def s3_login(self) -> dict[str, str]:
        """How to sign in to the bucket, as far as it was said."""
        if not self.s3_key:
            return {}
        return {"access_key_id": self.s3_key_id, "secret_access_key": self.s3_key}

    @property
    def own_url(self) -> str:
        """Where the service is found."""
        scheme = "https" if self.https_cert else "http"
        return (self.service_base_url or f"{scheme}://127.0.0.1:{self.port}").rstrip("/")

    @property
    def image_url(self) -> str:
        """Where discovery images are to be had."""
        return (self.image_service_base_url or self.own_url).rstrip("/")

    def without_tls(self, url: str) -> str:
        """The same place for firmware that knows no TLS; "" if there is none besides."""
        parts = urlsplit(url)
        if self.http_port is None or parts.scheme != "https":
            return ""
        # What is said to be at our own port is at our second port too; what is said to be elsewhere stays there.
        host, colon, port = parts.netloc.rpartition(":")
        place = f"{host}:{self.http_port}" if colon and port == str(self.port) else parts.netloc
        return parts._replace(scheme="http", netloc=place).geturl()
