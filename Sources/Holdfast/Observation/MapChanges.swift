/// The keys of a map that were removed, added or have another value since some version.
struct MapChanges: FollowedDifference {
    private var deletions: Set<String> = []
    private var insertions: Set<String> = []
    private var modifications: Set<String> = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    mutating func remove(_ key: String) {
        modifications.remove(key)
        if insertions.remove(key) == nil { deletions.insert(key) }
    }

    mutating func insert(_ key: String) {
        if deletions.remove(key) == nil {
            insertions.insert(key)
        } else {
            modifications.insert(key)
        }
    }

    mutating func modify(_ key: String) {
        if !insertions.contains(key) { modifications.insert(key) }
    }

    func followed(by next: MapChanges) -> MapChanges {
        var all = self
        for key in next.deletions { all.remove(key) }
        for key in next.insertions { all.insert(key) }
        for key in next.modifications { all.modify(key) }
        return all
    }

    func change<M: RealmKeyedCollection>(of map: M) -> RealmMapChange<M> {
        func keys(_ keys: Set<String>) -> [M.Key] {
            keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { M.Key(_key: $0) }
        }
        return .update(
            map, deletions: keys(deletions), insertions: keys(insertions),
            modifications: keys(modifications))
    }
}

/// A notification of a map's observer.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The map as it was first found. Reported once, before everything else.
    case initial(MapType)
    /// Keys were removed, added, or have another value or a changed object as value; in the order of the keys' bytes.
    case update(
        MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Reading failed. Never reported: reading faults end the process.
    case error(any Error)
}
