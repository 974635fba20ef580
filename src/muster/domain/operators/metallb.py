"""MetalLB: services get addresses of their own on bare metal."""

from .operator import IN_VIRTUALIZATION, Forecast, Needs, Operator

OPERATOR = Operator(
    name="metallb",
    title="MetalLB",
    namespace="metallb-system",
    subscription="metallb-operator",
    bundles=IN_VIRTUALIZATION,
    first_version="4.11",
    forecast=Forecast(master=Needs(words=()), worker=Needs(words=())),
)
