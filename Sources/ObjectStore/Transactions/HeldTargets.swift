import HoldfastRows

/// The deleted objects that others held by links that deny it: the links have to be gone when the
/// transaction ends.
struct HeldTargets {
    /// A deleted object.
    struct Target {
        /// The operation that deleted it.
        var source: Int
        /// Which it was.
        var object: ObjectIdentity
        /// The object, for a person to read.
        var text: String
        /// The objects that held it, each with the number of the property.
        var holders: [(object: ObjectIdentity, property: UInt32)]
    }

    /// The most deletions that are reported for one transaction.
    private static let deniedCountMax = 100

    private let group: CommitGroup
    private var targets: [Target] = []

    init(_ group: CommitGroup) { self.group = group }

    /// Adds a deleted object.
    mutating func add(_ target: Target) { targets.append(target) }

    /// The deletions that objects deny which are there still: at most a hundred.
    ///
    /// - `judge`: Says which of the objects may be named; nil for all.
    func denied(_ judge: WriteJudge?) throws(StoreError) -> [DeniedDeletion] {
        let rows = group.rows
        var denied: [DeniedDeletion] = []
        for target in targets {
            let isTargetNamed = try judge?.sees(target.object) ?? true
            for (holder, property) in target.holders {
                let holderClass = rows.classes[holder.classIndex]
                guard let row = try group.row(holderClass, holder.key),
                    let location = rows.memberByNumber[property]
                else { continue }
                let stating = rows.classes[location.classIndex].definition
                let isNamed = try judge?.sees(holder) ?? true
                denied.append(
                    DeniedDeletion(
                        source: target.source, target: isTargetNamed ? target.text : nil,
                        holderClass: holderClass.definition.name,
                        holder: isNamed ? holderClass.objectText(holder.key, row) : nil,
                        property: "\(stating.name).\(stating.properties[location.member].name)"))
                if denied.count == Self.deniedCountMax { return denied }
            }
        }
        return denied
    }

    /// How many objects there are.
    var count: Int { targets.count }

    /// Forgets the objects that were added since there were `count`.
    mutating func truncate(to count: Int) { targets.removeSubrange(count...) }

    /// Forgets everything.
    mutating func removeAll() {
        if !targets.isEmpty { targets.removeAll() }
    }
}
