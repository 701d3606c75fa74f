/// Access to other objects during the evaluation of a query on one.
///
/// `ObjectStore` implements it on a snapshot. Calls may read storage. After a storage error, of which the first is kept, or once
/// the budget has failed, an implementation finds nothing. The caller of the evaluation checks for both afterwards.
package protocol ObjectSource: OverflowSource {
    /// The budget of evaluations on the source.
    var budget: Budget { get }

    /// Returns the row of an object; nil if it does not exist. Valid until the snapshot ends.
    func row(classIndex: Int, key: UInt64) -> RowView?

    /// Calls `body` with the class and key of each object that links to the object `key` of class `classIndex` through the
    /// property `member` of class `originClass`, once for each link, until it returns false. If the property belongs to an
    /// embedded class, the owner is passed.
    func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool)

    /// Counts the links to the object from all properties of all classes.
    func incomingLinkCount(classIndex: Int, key: UInt64) -> Int

    /// Whether rows may be copies, which use memory while they are kept.
    var makesCopies: Bool { get }

    /// Runs a step that keeps none of the rows that it reads. Rows that are copies without hidden parts are released afterwards.
    func withStep(_ body: () -> Void)

    /// Returns the object key of the object with a primary key; nil if it does not exist.
    func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64?
}

extension ObjectSource {
    /// Runs only the step, since most sources make no copies.
    package func withStep(_ body: () -> Void) { body() }

    /// Most sources return rows as they are stored.
    package var makesCopies: Bool { false }
}
