import HoldfastRows

/// The deleted objects that others held by links that deny it: the links have to be gone when the transaction ends.
struct DeniedTargets {
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

    /// The deletions that remaining objects deny: at most a hundred. For each target, one denial that may not be named is
    /// reported, and only if there is no other.
    ///
    /// - `judge`: Says which of the objects may be named; nil for all.
    func denied(_ judge: WriteAuthorizer?) throws(StoreError) -> [DeniedDeletion] {
        let rows = group.rows
        var denied: [DeniedDeletion] = []
        for target in targets {
            let isTargetNamed = try judge?.sees(target.object) ?? true
            let namedStart = denied.count
            var unnamed: DeniedDeletion?
            for (holder, property) in target.holders {
                let holderClass = rows.classes[holder.classIndex]
                guard let row = try group.row(holderClass, holder.key),
                    let location = rows.memberByNumber[property]
                else { continue }
                let stating = rows.classes[location.classIndex].definition
                var denial = DeniedDeletion(
                    source: target.source, target: isTargetNamed ? target.text : nil,
                    holderClass: holderClass.definition.name, holder: nil,
                    property: "\(stating.name).\(stating.properties[location.member].name)")
                let members = Self.members(of: holderClass, leadingTo: location)
                let isSeen = try judge?.sees(members, of: holderClass, holder.key, row) ?? true
                guard isTargetNamed && isSeen else {
                    unnamed = denial
                    continue
                }
                denial.holder = holderClass.objectText(holder.key, row)
                denied.append(denial)
                if denied.count == Self.deniedCountMax { return denied }
            }
            // The number of unnamed targets is not shown either.
            if let unnamed, denied.count == namedStart,
                isTargetNamed
                    || !denied.contains(where: { $0.target == nil && $0.source == target.source })
            {
                denied.append(unnamed)
            }
            if denied.count == Self.deniedCountMax { return denied }
        }
        return denied
    }

    /// The properties of a class through which a link goes: the property itself, or the properties with embedded objects.
    private static func members(
        of holder: RowClass, leadingTo link: (classIndex: Int, member: Int)
    ) -> [Int] {
        if link.classIndex == holder.index { return [link.member] }
        return holder.members.indices.filter { holder.members[$0].storage.element == .embedded }
    }

    var count: Int { targets.count }

    /// Forgets the objects that were added since there were `count`.
    mutating func truncate(to count: Int) { targets.removeSubrange(count...) }

    /// Forgets everything.
    mutating func removeAll() {
        if !targets.isEmpty { targets.removeAll() }
    }
}
