import Bytes
import ObjectJSON
import ObjectStore

/// A request that is answered page by page: the objects of a query, groups of them, or sections.
///
/// A request is a plain value; it is checked once against a schema, and again only for a view of another one.
package protocol PageRequest: Sendable {
    /// What a check leads to.
    associatedtype Checked: Sendable

    /// The query as it is stated, with the cursor of the page.
    var text: QueryText { get }
    /// Whether ints beyond 2^53 are written as strings.
    var quotesLargeInts: Bool { get }

    /// Checks the request against a schema.
    ///
    /// - Throws: ``RequestFault`` with the parameter and the column.
    func check(_ names: SchemaNames, _ limits: ServiceLimits) throws(RequestFault) -> Checked

    /// Whether to write the page is sure to be short.
    func isShort(_ checked: Checked, in view: PageView) -> Bool

    /// Writes the page behind what the buffer has.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func write(
        _ checked: Checked, from view: PageView, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply
}

/// What a page is beside the bytes that were written.
package struct PageReply: Sendable {
    /// How the page is written.
    package var form: ListForm
    /// The version that it shows.
    package var version: StoreVersion
    /// The cursor of the next page; nil on the last one.
    package var next: String?
}
