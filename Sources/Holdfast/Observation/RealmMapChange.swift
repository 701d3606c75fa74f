/// A notification of a map's observer.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The map as it was first found: told once, before everything else.
    case initial(MapType)
    /// Keys went, came or have another value, or one of which something has changed; in the order of the keys' bytes.
    case update(
        MapType, deletions: [MapType.Key], insertions: [MapType.Key],
        modifications: [MapType.Key])
    /// Reading failed. Never told: reading faults end the process.
    case error(any Error)
}
