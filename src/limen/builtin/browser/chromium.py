"""Chromium as it is started here: where it is found, what it is told, and what is taken from it.

It reaches the network by the checking proxy alone: it looks up no names, speaks no QUIC, opens no sockets of its own for
calls between browsers, and its own makers are not told what it does.
"""

import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from playwright.async_api import BrowserContext, Error, Playwright, async_playwright

from limen.core.fault import ToolFault
from limen.kit.log import failed_open
from limen.net.checking_proxy import ProxyAddress

VIEWPORT = (1_280, 800)
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# What of Chromium talks to its makers, upgrades addresses that were judged as they are, or has a network of its own. The switch
# replaces Playwright's, so what that one turns off is here too.
_FEATURES_OFF = (
    "AimEnabled", "AutofillServerCommunication", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "CertificateTransparencyComponentUpdater", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "DnsOverHttps",
    "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades",
    "InterestFeedContentSuggestions", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints",
    "PaintHolding", "PreconnectToSearch", "Prerender2", "SpareRendererForSitePerProcess", "ThirdPartyStoragePartitioning",
    "Translate",
)  # fmt: skip
SWITCHES = (
    "--disable-quic",
    "--dns-prefetch-disable",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--proxy-bypass-list=<-loopback>",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    f"--disable-features={','.join(_FEATURES_OFF)}",
)
# Of those that Playwright gives: with it, pages open windows that nobody's click has asked for.
_SWITCHES_LEFT_OUT = ("--disable-popup-blocking",)
# What a program with windows needs of the environment; nothing else of ours crosses, keys least of all.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
# Two ways out of a page that no proxy sees; the switches leave them nowhere to go, and without them no page waits for it.
_WITHOUT_SOCKETS = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];"
_CLOSE_S = 10.0
_LOOK_EVERY_S = 0.02


def find_chromium(named: str, env: Mapping[str, str]) -> Path | None:
    """The browser's program: the named one, what Playwright installed, or one on the path; None where there is none."""
    if named:
        path = Path(named).expanduser()
        return path if path.is_file() else None
    own = _installed_by_playwright(env)
    if own is not None:
        return own
    found = next((place for name in _NAMES if (place := shutil.which(name, path=env.get("PATH")))), None)
    return Path(found) if found else None


def _installed_by_playwright(env: Mapping[str, str]) -> Path | None:
    home = Path(env.get("HOME") or "/")
    usual = home / "Library/Caches" if sys.platform == "darwin" else home / ".cache"
    folder = Path(env.get("PLAYWRIGHT_BROWSERS_PATH") or usual / "ms-playwright")
    with suppress(OSError):
        programs = [
            *folder.glob("chromium-*/chrome-linux*/chrome"),
            *folder.glob("chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
        ]
        return max(programs, default=None)
    return None


def has_display(env: Mapping[str, str]) -> bool:
    """Whether a window could be shown."""
    return sys.platform == "darwin" or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


@asynccontextmanager
async def chromium(
    program: Path, profile: Path, proxy: ProxyAddress, *, headless: bool = True, timeout_s: float = 30.0
) -> AsyncIterator[BrowserContext]:
    """A browser with its profile in a folder, for the length of a block; downloads and service workers are off.

    Raises ToolFault `browser.not_started` and, where another process uses the profile, `browser.busy`.
    """
    rooted = os.geteuid() == 0
    if rooted:
        failed_open("browser.no_sandbox", "Chromium has no sandbox of its own for root; run Limen as another user")
    environment: dict[str, str | float | bool] = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    async with _driver() as driver:
        try:
            context = await driver.chromium.launch_persistent_context(
                profile,
                executable_path=program,
                headless=headless,
                chromium_sandbox=not rooted,
                args=list(SWITCHES),
                ignore_default_args=list(_SWITCHES_LEFT_OUT),
                env={**environment, "HOME": str(profile)},
                proxy={"server": proxy.server, "username": proxy.user, "password": proxy.password},
                accept_downloads=False,
                service_workers="block",
                viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]} if headless else None,
                no_viewport=None if headless else True,
                handle_sigint=False,
                timeout=timeout_s * 1_000,
            )
        except Error as error:
            raise _not_started(error, program) from error
        process_id = _process_of(profile)
        try:
            await context.add_init_script(_WITHOUT_SOCKETS)
            yield context
        finally:
            with anyio.move_on_after(_CLOSE_S, shield=True):
                with suppress(Error):
                    await context.close()
                await _ended(process_id)


@asynccontextmanager
async def _driver() -> AsyncIterator[Playwright]:
    """Playwright's own process, which is ended whatever happens in the block."""
    with anyio.CancelScope(shield=True):  # one that was half started could not be ended
        driver = await async_playwright().start()
    try:
        yield driver
    finally:
        with anyio.move_on_after(_CLOSE_S, shield=True):
            await driver.stop()


def _process_of(profile: Path) -> int | None:
    """The browser that holds a profile: its lock is a link to `HOST-PROCESS`."""
    try:
        return int((profile / "SingletonLock").readlink().name.rpartition("-")[2])
    except (OSError, ValueError):
        return None


async def _ended(process_id: int | None) -> None:
    """Wait for a browser's end. One whose last window a person has closed still writes its cookies when it no longer answers,
    and Playwright's end would kill it."""
    while process_id is not None:
        try:
            os.kill(process_id, 0)
        except OSError:
            return
        await anyio.sleep(_LOOK_EVERY_S)


def _not_started(error: Error, program: Path) -> ToolFault:
    if "ProcessSingleton" in error.message or "profile is already in use" in error.message:
        mend = "Close the other one, or wait for its end."
        return ToolFault("browser.busy", "This session's browser is open in another process.", mend)
    reason = next((line for line in error.message.split("\n") if "rror" in line), error.message)[:300]
    return ToolFault("browser.not_started", f"{program} did not start: {reason}", "limen config set browser.executable PATH")
