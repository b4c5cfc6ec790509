"""SIGTERM leaves everything served until load balancers have looked elsewhere."""

import itertools
import signal

import pytest

from balanced import MANY, SignIns, balanced, needs_haproxy
from processes import Host
from waiting import SECONDS, until


def test_a_server_that_drains_serves_on_and_says_so():
    with Host.running("--drain", "3600") as host:
        process, host.process = host.process, None
        process.send_signal(signal.SIGTERM)
        until(lambda: host.get("/readyz").status_code == 503)
        process.send_signal(signal.SIGTERM)
        page = host.get("/healthz")
        assert host.get("/readyz").text == "draining: The server is about to stop.\n"
        assert (page.status_code, page.headers["Connection"]) == (200, "close")
        until(lambda: ("ready", "draining") in [(line["from"], line["to"]) for line in host.events("readiness.changed")])
        # As at any other time, a SIGINT after a SIGTERM ends at once.
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 1


def test_ctrl_c_does_not_drain():
    with Host.running("--drain", "3600") as host:
        host.wait_until(host.is_ready)
        process, host.process = host.process, None
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0


def restarted_in_turn(drain: int, count: int) -> SignIns:
    """What sign-ins came to while each of three nodes was restarted, at least once and until there are so many."""
    with balanced(drain) as (balancer, nodes):
        sign_ins = SignIns(f"http://localhost:{balancer.port}")
        try:
            until(lambda: sign_ins.good > 10, lambda: sign_ins.failed[:3])
            for number in itertools.count():
                if number >= len(nodes) and sign_ins.good >= count:
                    break
                node = nodes[number % len(nodes)]
                node.stop()
                node.start()
                until(lambda: balancer.is_up(node))
        finally:
            sign_ins.finish()
        return sign_ins


@pytest.mark.long
@pytest.mark.operations
@needs_haproxy
def test_no_sign_in_fails_while_nodes_are_restarted_in_turn():
    sign_ins = restarted_in_turn(5, MANY)
    assert (sign_ins.failed[:3], sign_ins.good >= MANY) == ([], True)


@pytest.mark.long
@pytest.mark.operations
@needs_haproxy
def test_sign_ins_fail_where_nodes_do_not_drain():
    """Otherwise the test above measures nothing."""
    assert restarted_in_turn(0, MANY).failed
