// Objects that are confined to their realm's place are not sent to other threads: programs freeze them, or use a reference.
// Frozen objects have the same types, so that the compiler cannot distinguish them; `nonisolated(unsafe)` does.

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
