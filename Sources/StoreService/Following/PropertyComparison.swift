import HoldfastObjectStore
import HoldfastRows

/// Compares what is shown of a property in two states: by a projection, of objects that lie beyond those that it
/// holds, or to those who see a part, that need not be another where something of them has changed. Cost: the writing of both.
struct PropertyComparison {
    private let key: UInt64
    private let old: RowView
    private let new: RowView
    private var earlier: PropertyWriter
    private var later: PropertyWriter

    /// Compares by `before` and by `after`; nil where every change is told.
    init?(
        _ stream: CheckedStream, _ property: ObservedProperty, of key: UInt64,
        _ states: (before: ReadTransaction?, after: ReadTransaction), _ limits: ServiceLimits
    ) {
        let classIndex = property.rowClass.index
        guard stream.projection != nil || property.reachesOthers || property.isSeenInPart,
            let before = states.before,
            let old = before.row(classIndex: classIndex, key: key),
            let new = states.after.row(classIndex: classIndex, key: key)
        else { return nil }
        self.key = key
        self.old = old
        self.new = new
        earlier = PropertyWriter(stream, property, before, limits)
        later = PropertyWriter(stream, property, states.after, limits)
    }

    /// Whether a part shows now what a part, at another place perhaps, showed before.
    mutating func isSame(_ part: PropertyWriter.Part, as former: PropertyWriter.Part) -> Bool {
        guard let was = earlier.text(of: former, in: old, key: key),
            let text = later.text(of: part, in: new, key: key)
        else { return false }
        return was == text
    }
}
