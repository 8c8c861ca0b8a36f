"""The ROUTER loop: authentication, back-pressure, dispatch, streaming."""

from memoryd.server.handling import Dispatcher
from memoryd.server.metrics import MethodMetrics
from memoryd.server.server import CONTROL, Server

__all__ = ["CONTROL", "Dispatcher", "MethodMetrics", "Server"]
