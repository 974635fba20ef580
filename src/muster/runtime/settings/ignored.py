"""Settings of the Assisted Installer that mean nothing to muster, and why. Whoever sets one is told so at the start."""

IGNORED: dict[str, tuple[str, ...]] = {
    "muster runs the same everywhere": ("DEPLOY_TARGET",),
    "HTTPS is on as soon as HTTPS_CERT_FILE and HTTPS_KEY_FILE are set": ("SERVE_HTTPS",),
    "nothing reads it, here or there": ("X-REQUEST-ID", "IMAGE_EXPIRATION_INTERVAL"),
    "PostgreSQL keeps a log of slow queries itself (log_min_duration_statement)": (
        "DB_LOG_SLOW_QUERIES",
        "DB_SLOW_QUERY_THRESHOLD",
        "DB_SLOW_QUERY_SCOPES",
        "DB_SLOW_QUERY_HTTP_ROUTES",
    ),
    "connections are few and are all kept": ("DB_MAX_IDLE_CONNECTIONS",),
    "replicas share the work; none of them leads": (
        "LEADER_LEASE_DURATION",
        "LEADER_RETRY_INTERVAL",
        "LEADER_RENEW_DEADLINE",
        "NAMESPACE",
        "POD_NAME",
    ),
    "nothing is looked at in rounds: work is done when something changes or is due": (
        "CLUSTER_MONITOR_INTERVAL",
        "HOST_MONITOR_INTERVAL",
        "CLUSTER_MONITOR_BATCH_SIZE",
        "HOST_MONITOR_BATCH_SIZE",
        "CLUSTER_MONITOR_PER_CLUSTER_DEADLINE",
        "HOST_MONITOR_PER_HOST_TIMEOUT",
        "CLUSTER_MONITOR_CYCLE_DEADLINE",
        "CLUSTER_MONITOR_BLACKLIST_DURATION",
        "SLOW_CLUSTER_MONITOR_LOG_THRESHOLD",
        "SLOW_HOST_MONITOR_LOG_THRESHOLD",
        "LIVENESS_VALIDATION_TIMEOUT",
        "DEREGISTER_WORKER_INTERVAL",
        "DELETION_WORKER_INTERVAL",
        "INFRAENV_DELETION_WORKER_INTERVAL",
        "MAX_GC_CLUSTERS_PER_INTERVAL",
        "MAX_GC_INFRAENVS_PER_INTERVAL",
    ),
    "nothing is sent to a vendor": (
        "ENABLE_DATA_COLLECTION",
        "DATA_UPLOAD_ENDPOINT",
        "CLUSTER_EVENTS_UPLOADER_INTERVAL",
        "DEPLOYMENT_TYPE",
        "DEPLOYMENT_VERSION",
    ),
    "there are no accounts and subscriptions of a vendor": (
        "OCM_BASE_URL",
        "OCM_TOKEN_URL",
        "OCM_SERVICE_CLIENT_ID",
        "OCM_SERVICE_CLIENT_SECRET",
        "OCM_SELF_TOKEN",
        "ACKNOWLEDGE_DEPRECATED_OCM_SELF_TOKEN",
        "ENABLE_ORG_BASED_FEATURE_GATES",
    ),
    "the bucket has to be there; without it the service says so": ("CREATE_S3_BUCKET",),
    "whose a manifest is, a file beside it says, in every storage": ("ENABLE_XATTR_FALLBACK",),
    "the files are few and small; watch the disk as any other": ("FILESYSTEM_USAGE_THRESHOLD",),
    "MUSTER_PORT says where everything is served, images included": ("LISTEN_PORT",),
    "images are served by the service itself, which has nobody to call": (
        "ASSISTED_SERVICE_SCHEME",
        "ASSISTED_SERVICE_HOST",
        "ASSISTED_SERVICE_API_TRUSTED_CA_FILE",
        "HTTPS_CA_FILE",
    ),
    "images are not unpacked": ("DATA_TEMP_DIR",),
    "it is called OS_IMAGES": ("RHCOS_VERSIONS",),
    "it is called LOG_LEVEL": ("LOGLEVEL",),
    "the lab's releases need no installer to be run, and are always on offer": ("DUMMY_IGNITION",),
}
"""By the reason, the names."""

LATER: dict[str, tuple[str, ...]] = {
    "signing in by a company's own service": ("JWKS_URL", "JWKS_CERT", "ADMIN_USERS", "ENABLE_ORG_TENANCY"),
    "events sent on to Kafka": (
        "ENABLE_EVENT_STREAMING",
        "KAFKA_BOOTSTRAP_SERVER",
        "KAFKA_EVENT_STREAM_TOPIC",
        "KAFKA_CLIENT_ID",
        "KAFKA_CLIENT_SECRET",
        "KAFKA_SASL_MECHANISM",
    ),
    "releases that are fetched": (
        "OPENSHIFT_RELEASE_SYNCER_INTERVAL",
        "RED_HAT_PRODUCT_LIFE_CYCLE_DATA_API_BASE_URL",
        "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR",
        "REGISTRY_CREDS",
        "INSTALLER_CACHE_MAX_RELEASE_SIZE",
        "INSTALLER_CACHE_RELEASE_FETCH_RETRY_INTERVAL",
    ),
    "installing without a service that stays": ("INFRA_ENV_ID",),
    "Kubernetes resources": (
        "ALLOW_CONVERGED_FLOW",
        "ENABLE_METAL3",
        "PAUSE_PROVISIONED_BMHS",
        "BMAC_MAX_CONCURRENT_RECONCILES",
        "APPROVE_CSRS_REQUEUE_DURATION",
        "IRONIC_AGENT_IMAGE",
        "IRONIC_AGENT_IMAGE_ARM",
    ),
}
"""By the part of muster that is still to come, the names it will read."""

WHY: dict[str, str] = {
    **{name: reason for reason, names in IGNORED.items() for name in names},
    **{name: f"it belongs to a part that is not there yet: {part}" for part, names in LATER.items() for name in names},
}
"""Why each is without effect."""
