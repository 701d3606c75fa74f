// What belongs to where its realm does is not handed to others: they freeze it, or refer to it. Frozen things are of the same types, so that the compiler can't
// tell them; `nonisolated(unsafe)` does.

@available(*, unavailable)
extension Realm: Sendable {}
@available(*, unavailable)
extension Results: Sendable {}
@available(*, unavailable)
extension ResultsIterator: Sendable {}
@available(*, unavailable)
extension List: Sendable {}
@available(*, unavailable)
extension MutableSet: Sendable {}
@available(*, unavailable)
extension Map: Sendable {}
@available(*, unavailable)
extension SingleMapEntry: Sendable {}
@available(*, unavailable)
extension LinkingObjects: Sendable {}
@available(*, unavailable)
extension AnyRealmCollection: Sendable {}
@available(*, unavailable)
extension AnyRealmKeyedCollection: Sendable {}
@available(*, unavailable)
extension AnyRealmValue: Sendable {}
