/// The outcome of a write: once it is durable, the version that it made, or the current one if it changed
/// nothing; otherwise why it failed and changed nothing.
package typealias WriteOutcome = Result<UInt64, StoreError>
