"""What ``temporacle mcp`` offers to language models: six tools on statements that stand in the call itself.

arguments   the arguments of a call, checked: limits, statements, values, pairs. No file is ever opened
answers     what each tool computes, as JSON with sentences
sentences   relations, conflicts and limits in words
catalogue   the tools with their schemas, and one function to call them
server      the adapter to the Model Context Protocol, the only module that knows its SDK
"""
