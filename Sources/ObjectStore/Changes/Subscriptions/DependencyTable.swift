import HoldfastQuery
import HoldfastRows

/// The watches of all followed queries, each once: a path is walked back once for all queries that have it. On the feed's thread.
final class DependencyTable {
    private struct Entry {
        var watch: LinkedDependency
        var rootClass: Int
        /// The number of queries that have it.
        var count = 0
        /// The number of queries that have no indexable condition on this path.
        var freeCount = 0
        /// The places on its path with conditions of filters that have it, each with the number of these filters.
        var places: [IndexedPath: Int] = [:]
    }

    private struct Key: Hashable {
        let watch: LinkedDependency
        let rootClass: Int
    }

    private let schema: RowSchema
    private var entries: [Entry] = []
    private var freePositions: [Int] = []
    private var positions: [Key: Int] = [:]
    /// The watches by the class of the objects that set them off; the watches of embedded objects are under nil.
    private var triggers: [Int?: [Int]] = [:]
    private let value = PathValue()
    /// The watches that led to too many objects in the present step, each with its triggers.
    private(set) var tooWide: [Int: [Trigger]] = [:]

    /// An object that sets off a watch.
    struct Trigger {
        let identity: ObjectIdentity
        /// The filters that it concerns, by owner; nil for all with the watch.
        let owners: Set<Int32>?
    }

    /// The path by which an object is reached.
    struct AffectedPaths {
        let position: Int
        /// The filters that it concerns, by owner; nil for all with the watch.
        let owners: Set<Int32>?
    }

    /// The maximum number of objects that a step walks back to from a changed object along one path. If there are more, a worker
    /// reports to their followers, so that other followers do not wait.
    private static let originCountMax = 1_000
    /// The same for all objects that changed in a step.
    private static let stepOriginCountMax = 20_000

    init(_ schema: RowSchema) { self.schema = schema }

    func watch(_ position: Int) -> LinkedDependency { entries[position].watch }

    /// Counts a watch and returns its position.
    ///
    /// - `places`: The paths of the values that decide about the filter with the dependency; nil if it counts with any values.
    func add(_ watch: LinkedDependency, _ rootClass: Int, _ places: Set<IndexedPath>?) -> Int {
        let key = Key(watch: watch, rootClass: rootClass)
        let position: Int
        if let known = positions[key] {
            position = known
        } else {
            position = freePositions.popLast() ?? entries.count
            let entry = Entry(watch: watch, rootClass: rootClass)
            if position == entries.count {
                entries.append(entry)
            } else {
                entries[position] = entry
            }
            positions[key] = position
            triggers[watch.classIndex(schema), default: []].append(position)
        }
        count(position, places, by: 1)
        return position
    }

    /// Lowers the count of a watch.
    func remove(_ position: Int, _ places: Set<IndexedPath>?) {
        count(position, places, by: -1)
        guard entries[position].count == 0 else { return }
        let entry = entries[position]
        positions[Key(watch: entry.watch, rootClass: entry.rootClass)] = nil
        let classIndex = entry.watch.classIndex(schema)
        triggers[classIndex]?.removeAll { $0 == position }
        if triggers[classIndex]?.isEmpty == true { triggers.removeValue(forKey: classIndex) }
        freePositions.append(position)
    }

    private func count(_ position: Int, _ places: Set<IndexedPath>?, by difference: Int) {
        entries[position].count += difference
        let watch = entries[position].watch
        guard let places, places.allSatisfy({ watch.lies(onWayTo: $0, schema) }) else {
            entries[position].freeCount += difference
            return
        }
        for place in places {
            let count = (entries[position].places[place] ?? 0) + difference
            entries[position].places[place] = count > 0 ? count : nil
        }
    }

    /// Walks back from the changed objects.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - isFound: Whether any condition finds a value at a place of a root class.
    ///   - owners: The filters that a change of an object concerns through a watch without a condition; nil for all.
    /// - Returns: The objects that the step reaches, each with the paths by which it is reached.
    func reached(
        _ step: ChangeStep, _ isFound: (IndexedPath, Int, PathValue) -> Bool,
        owners: (_ position: Int, ObjectIdentity) -> Set<Int32>?
    ) -> [ObjectIdentity: [AffectedPaths]] {
        var found: [ObjectIdentity: [AffectedPaths]] = [:]
        tooWide = [:]
        if triggers.isEmpty { return found }
        var stepCounts: [Int: Int] = [:]
        func walk(_ position: Int, from identity: ObjectIdentity, for owners: Set<Int32>?) {
            let entry = entries[position]
            let before = stepCounts[position] ?? 0
            var count = 0
            let countMax = min(Self.originCountMax, Self.stepOriginCountMax - before)
            defer { stepCounts[position] = before + count }
            func reach(in view: ReadTransaction, only isWanted: (ObjectIdentity) -> Bool) {
                let origins = ReversePath(
                    rootClass: entry.rootClass, transaction: view.unrestricted)
                _ = origins.forEach(to: identity, along: entry.watch.steps) { key in
                    let origin = ObjectIdentity(classIndex: entry.rootClass, key: key)
                    guard isWanted(origin) else { return true }
                    let last = found[origin]?.last
                    if last?.position != position || last?.owners != owners {
                        found[origin, default: []].append(
                            AffectedPaths(position: position, owners: owners))
                    }
                    count += 1
                    return count <= countMax
                }
            }
            reach(in: step.after) { _ in true }
            // An object that one of several versions deleted may have been hidden from a follower by then.
            if step.deletesLater { reach(in: step.before) { step.changes[$0]?.kind == .delete } }
            if count > countMax {
                tooWide[position, default: []].append(Trigger(identity: identity, owners: owners))
            }
        }
        for (identity, change) in zip(step.changes.order, step.changes.outcomes) {
            forEachTriggered(by: change.kind, change.members, of: identity) { position in
                let isFree = entries[position].freeCount > 0
                let rootClass = entries[position].rootClass
                // Whether the changed object led, or leads, to a value by which a follower is found.
                let isConcerned =
                    isFree
                    || !forEachValue(at: position, of: identity, step) {
                        !isFound($0, rootClass, $1)
                    }
                let concerned = isFree ? owners(position, identity) : nil
                if isConcerned, concerned?.isEmpty != true {
                    walk(position, from: identity, for: concerned)
                }
            }
        }
        for lost in step.changes.lostLinks {
            forEachTriggered(by: lost) { position, target in walk(position, from: target, for: nil)
            }
        }
        return found
    }

    /// Passes on the watches that a change of an object sets off.
    private func forEachTriggered(
        by kind: ChangeRecord.Kind, _ members: MemberSet, of identity: ObjectIdentity,
        _ body: (_ position: Int) -> Void
    ) {
        for classIndex in [identity.classIndex, nil] {
            for position in triggers[classIndex] ?? []
            where entries[position].watch.isTriggered(by: kind, members, of: identity, schema) {
                body(position)
            }
        }
    }

    private func forEachTriggered(
        by lost: LostLink, _ body: (_ position: Int, _ target: ObjectIdentity) -> Void
    ) {
        guard let classIndex = schema.classIndexByNumber[lost.classNumber] else { return }
        for position in triggers[classIndex] ?? []
        where entries[position].watch.isTriggered(by: lost, schema) {
            let target = ObjectIdentity(classIndex: classIndex, key: lost.key)
            body(position, target)
        }
    }

    /// Passes on the values at the places on a watch's path to which a changed object led, and leads, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    func forEachValue(
        at position: Int, of identity: ObjectIdentity, _ step: ChangeStep,
        _ body: (IndexedPath, PathValue) -> Bool
    ) -> Bool {
        let entry = entries[position]
        let object = step.object(identity)
        return entry.places.keys.allSatisfy { place in
            for (row, view) in [(object.before, step.before), (object.after, step.after)] {
                value.read(
                    place, from: row, step: entry.watch.steps.count, identity.classIndex, in: view)
                if !body(place, value) { return false }
            }
            return true
        }
    }
}

extension LinkedDependency {
    /// Whether the path to a place goes through the triggering object, so that this object decides about the value there.
    func lies(onWayTo place: IndexedPath, _ schema: RowSchema) -> Bool {
        guard case .property(let classIndex, _) = trigger else { return false }
        return schema.classes[classIndex].definition.kind != .embedded
            && place.steps.starts(with: steps)
    }
}

extension IndexedPath {
    /// The property of the object itself that is the value, or that begins the path to it.
    var firstMember: Int { steps.first?.member ?? member }
}
