"""The ROUTER loop: authentication, back-pressure, dispatch, streaming."""

from memoryd.server.metrics import MethodMetrics
from memoryd.server.request_handler import CallDispatcher
from memoryd.server.server import CONTROL, Server

__all__ = ["CONTROL", "CallDispatcher", "MethodMetrics", "Server"]
