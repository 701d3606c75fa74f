import HoldfastObjectJSON
import HoldfastObjectStore

/// The reading of one property of an object.
package struct PropertyRead: ReadCase {
    package let caller: Caller
    package var pin: SnapshotPin?
    let name: RequestBytes
    let address: ObjectAddress
    let projection: String?
    /// The query of a page; nothing of it is for a single value.
    let text: QueryText
    /// Whether ints beyond 2^53 are written as strings.
    package let quotesLargeInts: Bool

    /// Makes a reading.
    ///
    /// - `projection`: The name of the projection that shows the objects of the property.
    package init(
        _ name: RequestBytes, of address: ObjectAddress, _ text: QueryText,
        shownBy projection: String?, quotesLargeInts: Bool, for caller: Caller
    ) {
        self.text = text
        self.quotesLargeInts = quotesLargeInts
        self.name = name
        self.address = address
        self.projection = projection
        self.caller = caller
    }

    /// Finds the property if it has one value of its object alone.
    ///
    /// - Throws: As ``reply(_:_:)``.
    package func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> FoundProperty? {
        let found = try reply(read, served)
        return !found.hasPages && found.isOfItsObjectAlone ? found : nil
    }

    /// Finds the property.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, object, property or projection, `.malformed` for a
    ///   faulty key.
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> FoundProperty {
        try FoundProperty(self, in: read, served)
    }
}
