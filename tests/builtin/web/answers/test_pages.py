"""Pages of a vendor: what came before a call ended is kept, and the format that was asked for is given where there is one."""

import json

import anyio
import pytest
from builtin.web.cases import made

from limen.builtin.web.engines.firecrawl import Firecrawl
from limen.builtin.web.engines.tavily import Tavily
from limen.core.context import CallContext
from limen.core.web import Extraction
from limen.testing.vendor_stage import json_reply, staged

pytestmark = pytest.mark.anyio
URLS = ("https://alder.test/a", "https://birch.test/slow", "https://cedar.test/c")


def scraped(url, **formats):
    about = {"title": "T", "url": url, "statusCode": 200}
    return json_reply(json.dumps({"success": True, "data": {"metadata": about, **formats}}))


@pytest.mark.parametrize("ending", ["deadline", "interrupt"])
async def test_what_came_before_the_call_ended_is_kept(ending):
    answered = []

    async def vendor(request, stream):
        url = json.loads(request.body)["url"]
        if "slow" in url:
            await anyio.sleep_forever()
        await stream.send(scraped(url, markdown=f"The words of {url}."))
        answered.append(url)

    async with staged(made(Firecrawl, reads=True), vendor) as stage:
        deadline = anyio.current_time() + 1 if ending == "deadline" else None
        noticed = []

        def cancelled():
            if ending == "interrupt" and len(answered) == 2:
                noticed.append(True)
            return len(noticed) > 5  # the answers have been read by then

        pulled = await stage.provider.extract(Extraction(URLS), CallContext(deadline=deadline, cancelled=cancelled))
    by_url = {one.requested: one for one in pulled}
    assert by_url[URLS[0]].page is not None
    assert by_url[URLS[2]].page is not None
    codes = {"deadline": {"web.timeout", "network.timeout"}, "interrupt": {"web.interrupted"}}
    assert by_url[URLS[1]].refusal.code in codes[ending]


@pytest.mark.parametrize(
    ("wish", "asked", "holds"),
    [("markdown", "markdown", "**it**"), ("text", "markdown", "it now"), ("html", "html", "<b>it</b>")],
)
async def test_a_vendor_that_can_gives_the_format(wish, asked, holds):
    async def vendor(request, stream):
        body = json.loads(request.body)
        assert body["formats"] == [asked]
        formats = (
            {"html": "<main><p><b>it</b> now<script>x()</script></p></main>"} if asked == "html" else {"markdown": "**it** now"}
        )
        await stream.send(scraped(body["url"], **formats))

    async with staged(made(Firecrawl, reads=True), vendor) as stage:
        (pulled,) = await stage.provider.extract(Extraction(URLS[:1], format=wish), CallContext())
    assert pulled.page.format == wish
    assert holds in pulled.page.text
    assert "script" not in pulled.page.text


async def test_markdown_is_no_html_and_says_so():
    async def vendor(request, stream):
        urls = json.loads(request.body)["urls"]
        rows = [{"url": url, "raw_content": "**it** now"} for url in urls]
        await stream.send(json_reply(json.dumps({"results": rows, "failed_results": []})))

    async with staged(made(Tavily, reads=True), vendor) as stage:
        (pulled,) = await stage.provider.extract(Extraction(URLS[:1], format="html"), CallContext())
    assert (pulled.page.format, pulled.page.text) == ("markdown", "**it** now")
