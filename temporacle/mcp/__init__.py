"""What ``temporacle serve mcp`` offers to language models: tools on statements that stand in the call itself.

arguments   the arguments of a call, checked: limits, statements, values, pairs. No file is ever opened
tools       what each tool computes, as JSON with sentences; relations, conflicts and limits in words
server      the tools with their schemas, and the adapter to the Model Context Protocol
"""
