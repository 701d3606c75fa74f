/// An object of a transaction that links name before it is known where the object will be.
package enum NamedObject: Sendable {
    /// By its primary key, an `OrderedKey`.
    case primaryKey([UInt8])
    /// By its object key, which was reserved or is that of an object.
    case objectKey(UInt64)
}
