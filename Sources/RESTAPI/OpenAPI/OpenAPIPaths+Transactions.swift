import JSON

// The operation that is about objects of any classes.
extension OpenAPIPaths {
    /// Adds the transaction. Called after the classes, which keep their ids.
    func writeTransactions(tag: String, to paths: inout JSONObjectWriter) {
        paths.member("/v1/transactions").object { item in
            add(.transaction, noun: "Transaction", tag: tag, to: &item) {
                $0.requiredBody {
                    $0.content("HoldfastTransaction", example: nil)
                }
            } replies: { responses in
                responses.reply(
                    "200",
                    "What became of each operation. A deleted object has no `etag`; with "
                        + "`return=minimal` no objects are shown.",
                    ["Holdfast-Version", "Idempotency-Replayed"]
                ) {
                    $0.content("HoldfastTransactionResult", example: nil)
                }
            }
        }
    }
}
