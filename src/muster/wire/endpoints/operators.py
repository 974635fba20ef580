"""Calls about what OLM can add to a cluster."""

from muster.wire.operators import BundleOut, BundleQuery, BundlesQuery, OperatorName, OperatorProperty

from .endpoint import READER, USER, v2

SUPPORTED_OPERATORS = v2("V2ListSupportedOperators", "GET /supported-operators", USER, answers=tuple[OperatorName, ...])
OPERATOR_PROPERTIES = v2(
    "V2ListOperatorProperties",
    "GET /supported-operators/{operator_name}",
    READER,
    answers=tuple[OperatorProperty, ...],
    silent=(404,),
)
LIST_BUNDLES = v2("V2ListBundles", "GET /operators/bundles", USER, query=BundlesQuery, answers=tuple[BundleOut, ...])
GET_BUNDLE = v2("V2GetBundle", "GET /operators/bundles/{id}", USER, query=BundleQuery, answers=BundleOut)
