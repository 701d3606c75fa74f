/// The outcome of a write.
package enum WriteOutcome: Sendable {
    /// It is durable. The number is the version that it made, or the current one if it changed nothing.
    case committed(version: UInt64)
    /// It failed and changed nothing.
    case failed(StoreError)
}
