import ObjectStore
import Rows

/// The reply to a write, beside the JSON in ``RequestScratch/reply``.
package struct WriteReply {
    /// What was created and can be read by itself. Valid as long as the write that it is of.
    package enum Created {
        /// An object.
        case object(RowClass, RowView, key: UInt64)
        /// An element of an object; the position is that in a list, which the address may not have.
        case element(ElementTarget, RowView, key: UInt64, position: Int?)
    }

    /// The version that the write made.
    package var version: StoreVersion
    /// The version of the one object that it was about.
    package var etag: StoreVersion?
    /// Whether the write has created anything.
    package var isCreated = false
    /// What it has created.
    package var created: Created?
    /// Whether there is JSON.
    package var hasJSON = false
    /// Whether that lacks the objects, because the caller wants none or there was no room for them.
    package var isMinimal = false
    /// How many objects the caller has allowed to be changed.
    package var affectedCountMax: Int?

    /// A reply without anything else.
    package init(_ version: StoreVersion) { self.version = version }
}
