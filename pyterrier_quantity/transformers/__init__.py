"""Parse queries, extract quantities from texts and fields, and split documents into sentences, in pipelines."""
