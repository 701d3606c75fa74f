/// The changes of a group of transactions, seen on the writer's thread before the writes are answered.
package struct CommitStep {
    /// The state before the group.
    let before: ReadTransaction
    /// The state that it leads to.
    let after: ReadTransaction
    /// The version behind which the changes begin.
    let start: UInt64
    /// All that it did.
    let changes: GroupChanges
}
