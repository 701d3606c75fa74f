/// The outcome of a write.
package enum WriteOutcome: Sendable {
    /// It is durable. The number is the version that it made, or the current one if it changed nothing.
    case committed(version: UInt64)
    /// It failed and changed nothing.
    case failed(StoreError)

    /// Returns the version, or throws why there is none.
    func get() throws(StoreError) -> UInt64 {
        switch self {
        case .committed(let version): return version
        case .failed(let error): throw error
        }
    }
}
