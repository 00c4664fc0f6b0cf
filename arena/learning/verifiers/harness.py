"""How verifiers asks a model at a decision: once, with just the messages that it is given, and in this process.

The harnesses that come with verifiers start a program for each answer, which takes a second, and have the model read the whole
match again. Here each decision is a branch of the trace: rules, situation, answers to it. So a bot in arena is asked, too.
"""

import httpx2
import verifiers.v1 as vf

_UNREACHED = 97  # verifiers' exit code of a program that could not reach the model
_SHOWN = 500  # characters of a refusal


class MatchHarness(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc]  # verifiers need not be installed
    """Sends the system prompt and the messages of one segment to the model, and nothing of the segments before."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask the model once."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(map(_plain, prompt or ()))
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        try:
            async with httpx2.AsyncClient(
                timeout=None, verify=endpoint.startswith("https:")
            ) as client:  # certificates take long
                answer = await client.post(
                    f"{endpoint}/chat/completions",
                    headers={"Authorization": f"Bearer {secret}"},
                    json={"model": ctx.model, "messages": messages},
                )
        except httpx2.TransportError as error:
            return vf.ProgramResult(_UNREACHED, "", str(error))
        refused = answer.status_code != httpx2.codes.OK
        return vf.ProgramResult(int(refused), "", answer.text[:_SHOWN] if refused else "")

    async def resume(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: vf.Messages,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Ask the model with these messages alone."""
        asked = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, asked)


def _plain(message: vf.Message) -> dict[str, str]:
    return {"role": message.role, "content": message.content or ""}
