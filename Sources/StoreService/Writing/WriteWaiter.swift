/// The side that waits for a write.
package protocol WriteWaiter: Sendable {
    /// Hands a write that is durable or has failed over to the thread that tells it (``ServedWrite/answer()``), and
    /// does nothing else. Writer's thread; must not block.
    func wake<Body: WriteBody>(_ write: ServedWrite<Body, Self>)

    /// Tells a write whose reply would hold up that thread. A scheduler's thread.
    func tell<Body: WriteBody>(_ write: ServedWrite<Body, Self>)
}
