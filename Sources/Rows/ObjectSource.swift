/// Access to other objects during the evaluation of a query on one.
///
/// `ObjectStore` implements it on a snapshot. Calls may read storage; an implementation keeps the first
/// storage error and answers as if nothing were found, as it does once the budget has failed; the caller that runs
/// the evaluation asks for both afterwards.
package protocol ObjectSource: OverflowSource {
    /// The budget of evaluations on the source.
    var budget: Budget { get }

    /// Returns the row of an object, valid until the snapshot ends; nil when there is none.
    func row(classIndex: Int, key: UInt64) -> RowView?

    /// Calls `body` with the class and key of each object that links to the object `key` of class
    /// `classIndex` through the property `member` of class `originClass`, once per link, until it
    /// returns false. Where the property belongs to an embedded class, the owner is handed over.
    func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool)

    /// Counts the links that lead to the object from any property of any class.
    func incomingLinkCount(classIndex: Int, key: UInt64) -> Int

    /// Whether rows may be copies, which take memory as long as they are kept.
    var makesCopies: Bool { get }

    /// Runs a step that keeps no row of those that it meets, so that those that are copies, without what is hidden, are given back.
    func withStep(_ body: () -> Void)

    /// Returns the object key of the object with a primary key; nil when there is none.
    func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64?
}

extension ObjectSource {
    /// The step alone: most sources make no copies.
    package func withStep(_ body: () -> Void) { body() }

    /// Most sources hand over rows as they are stored.
    package var makesCopies: Bool { false }
}
