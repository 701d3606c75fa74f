/// The elements of a collection as the store has them.
public struct QueriedElements {
    /// Nil for an unmanaged collection.
    let core: ResultsCore?
    /// The kind of collection, for messages.
    let kind: String

    /// Ends the process for an unmanaged collection.
    var managed: ResultsCore {
        guard let core else { Misuse.end(Misuse.unmanaged(kind)) }
        return core
    }

    /// Whether both are one collection of one object, or one query of one realm.
    static func isSame(_ a: ResultsCore, _ b: ResultsCore) -> Bool {
        a === b || (a.realm === b.realm && a.base == b.base && a.parts == b.parts)
    }
}
