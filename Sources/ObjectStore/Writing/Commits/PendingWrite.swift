/// A write that waits for its turn.
package protocol PendingWrite: AnyObject, Sendable {
    /// Makes the changes. Runs on the writer's thread, perhaps more than once, each time from the
    /// beginning on a newer state; it must not block.
    func run(_ transaction: WriteTransaction) throws(StoreError)

    /// Learns what became of it. Runs on the writer's thread after the sync, once; must not block.
    func finish(_ outcome: WriteOutcome)

    /// Itself, if it is a change of the schema; asking costs less than a cast.
    var schemaWrite: (any PendingSchemaWrite)? { get }
}

extension PendingWrite {
    /// Most writes are none of the schema.
    package var schemaWrite: (any PendingSchemaWrite)? { nil }
}
