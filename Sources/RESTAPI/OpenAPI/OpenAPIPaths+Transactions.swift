import JSON

// The operation that is about objects of any classes.
extension OpenAPIPaths {
    /// Adds the transaction. Called after the classes, which keep their ids.
    func writeTransactions(tag: String, to paths: inout JSONObjectWriter) {
        paths.member("/v1/transactions").object { item in
            add(.transaction, noun: "Transaction", tag: tag, to: &item) {
                $0.object { body in
                    body.member("required").bool(true)
                    body.member("content").content("HoldfastTransaction", example: nil)
                }
            } replies: { responses in
                responses.member("200").object { reply in
                    reply.member("description").string(
                        "What became of each operation. A deleted object has no `etag`; with "
                            + "`return=minimal` no objects are told.")
                    reply.member("headers").headers("Holdfast-Version", "Idempotency-Replayed")
                    reply.member("content").content("HoldfastTransactionResult", example: nil)
                }
            }
        }
    }
}
