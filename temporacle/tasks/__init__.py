"""Jobs: documents or paths in, typed results out. The command line calls these functions, and so does ``import
temporacle as tp``.

inputs         what people hold (paths, documents, statements, frames) as documents
read           documents from files
oracle         questions about one document
closure        the strongest relation of every pair
reduce         the minimal graph
answers        the same question to every document, for closure and reduce
entails        one relation of one document, with reasons
repair         a document without the links that contradict others
convert        documents to files
verify         certificates checked again
binding        whether certificates belong to their files
provenance     what a certificate says about its file
"""
