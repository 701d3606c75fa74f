/// A caller that waits for a write.
package protocol WriteCaller: Sendable {
    /// A reply as it is stored in an idempotency record. Writer's thread.
    func record(of reply: WriteReply, _ scratch: RequestScratch) -> [UInt8]

    /// Learns that the write is durable or has failed, which ``ServedWrite/answer()`` tells. Writer's thread; must
    /// not block.
    func finish<Body: WriteBody>(_ write: ServedWrite<Body, Self>)
}
