# A walk from the first call to the kubeconfig, as a well-known tutorial of 2021 has it: old calls and newer ones mixed.
# Only its addresses are changed, what it leaves to the reader is written out, and what it shows is kept in files.
set -euo pipefail

clusters() {
  curl -s -X GET "$AI_URL/api/assisted-install/v2/clusters?with_hosts=true" -H "accept: application/json" -H "get_unregistered_clusters: false"
}

wait_until() { # a filter of jq on all clusters, and what it is to say
  until [ "$(clusters | jq -r "$1" | sort -u | tr '\n' ' ')" = "$2 " ]; do sleep 0.1; done
}

# Create a cluster definition file

export CLUSTER_SSHKEY=$(cat ~/.ssh/id_ed25519.pub)
export PULL_SECRET=$(cat pull-secret.txt | jq -R .)
cat << EOF > ./deployment-multinodes.json
{
  "kind": "Cluster",
  "name": "ocpd",
  "openshift_version": "4.8",
  "ocp_release_image": "quay.io/openshift-release-dev/ocp-release:4.8.5-x86_64",
  "base_dns_domain": "lab.local",
  "hyperthreading": "all",
  "ingress_vip": "192.167.124.8",
  "schedulable_masters": false,
  "high_availability_mode": "Full",
  "user_managed_networking": false,
  "platform": {
    "type": "baremetal"
   },
  "cluster_networks": [
    {
      "cidr": "10.128.0.0/14",
      "host_prefix": 23
    }
  ],
  "service_networks": [
    {
      "cidr": "172.31.0.0/16"
    }
  ],
  "machine_networks": [
    {
      "cidr": "192.167.124.0/24"
    }
  ],
  "network_type": "OVNKubernetes",
  "additional_ntp_source": "ntp1.hetzner.de",
  "vip_dhcp_allocation": false,
  "ssh_public_key": "$CLUSTER_SSHKEY",
  "pull_secret": $PULL_SECRET
}
EOF

# Use deployment-multinodes.json to register the new cluster

curl -s -X POST "$AI_URL/api/assisted-install/v1/clusters" \
   -d @./deployment-multinodes.json --header "Content-Type: application/json" | jq . > registered.json

# Check cluster is registered

CLUSTER_ID=$(clusters | jq -r '.[].id')
clusters | jq -r '.[].status' > first-status
clusters | jq -r '.[].validations_info' | jq . > first-validations.json

# Build the discovery boot ISO

cat << EOF > ./discovery-iso-params.json
{
 "ssh_public_key": "$CLUSTER_SSHKEY",
  "pull_secret": $PULL_SECRET,
  "image_type": "full-iso"
}
EOF
curl -s -X POST "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID/downloads/image" \
  -d @discovery-iso-params.json \
  --header "Content-Type: application/json" \
  | jq '.' > image.json
curl -s \
  -L "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID/downloads/image" \
  -o discovery_image_ocpd.iso

# Start the nodes and the discovery process

echo "masters $CLUSTER_ID" > room
wait_until '.[].hosts | map(.status) | join(",")' "known,known,known"
clusters | jq -r '.[].validations_info' | jq . > second-validations.json
clusters | jq -r '.[].hosts' > hosts.json
clusters | jq -r '.[].hosts[].inventory' | jq -r . > inventories.json
clusters | jq -r '.[].hosts[].id' > ids
clusters | jq -r '.[].hosts[].role' > roles-before

# Assign role to discovered nodes

for i in `clusters | jq -r '.[].hosts[].id' | awk 'NR>0' | awk '{print $1;}'`
do curl -s -X PATCH "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID" -H "accept: application/json" -H "Content-Type: application/json" -d "{ \"hosts_roles\": [ { \"id\": \"$i\", \"role\": \"master\" } ]}" > patched.json
done
clusters | jq -r '.[].hosts[].role' > roles-after

# Add workers, complete configuration and trigger the installation

echo "workers $CLUSTER_ID" > room
wait_until '.[].hosts | map(.status) | join(",")' "known,known,known,known,known"
curl -s -X PATCH "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID" \
  -H "accept: application/json" \
  -H "Content-Type: application/json" -d "{ \"api_vip\": \"192.167.124.7\"}" > addressed.json
wait_until '.[].status' "ready"
curl -s -X POST "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID/actions/install" > started.json

# Monitoring the installation progress

wait_until '[.[].hosts[].progress.current_stage | select(. == "Writing image to disk")] | length > 0' "true"
clusters | jq -r '.[].hosts[].progress' > progress-of-hosts.json
wait_until '.[].status' "installed"
clusters | jq -r '.[].progress' > progress.json

# Retrieve kubeconfig and credentials

mkdir -p .kube
curl -s -X GET "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID/downloads/kubeconfig" -H "accept: application/octet-stream" > .kube/config
curl -s -X GET "$AI_URL/api/assisted-install/v1/clusters/$CLUSTER_ID/credentials" -H "accept: application/json" | jq -r . > credentials.json
