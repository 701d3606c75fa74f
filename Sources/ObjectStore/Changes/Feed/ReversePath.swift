import HoldfastQuery
import HoldfastRows

/// Walks back along a path, from the object at its end to the objects where it begins.
struct ReversePath {
    /// The class where the path begins, by position.
    let rootClass: Int
    /// The state in which it walks.
    let transaction: StoreView
    /// Whether the path may lead through an object and the links of one of its properties, by position; nil if it may lead
    /// through all. For links of embedded objects, if a path begins in one, the property is nil.
    var leadsThrough: ((ObjectIdentity, _ member: Int?) -> Bool)?

    /// Passes on the keys of the objects from which a path leads to the given end, until `body` returns false. An object may come
    /// several times. Cost: the inverse links along the path.
    ///
    /// - Returns: Whether `body` never returned false.
    func forEach(
        to identity: ObjectIdentity, along steps: [PathStep], _ body: (UInt64) -> Bool
    ) -> Bool {
        walkBack(from: identity, steps[...], body)
    }

    /// Walks a path backwards from its end and passes on the objects at its beginning, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    private func walkBack(
        from identity: ObjectIdentity, _ steps: ArraySlice<PathStep>, _ body: (UInt64) -> Bool
    ) -> Bool {
        guard let last = steps.last else {
            return identity.classIndex == rootClass ? body(identity.key) : true
        }
        let schema = transaction.rows
        let rest = steps.dropLast()
        switch last.kind {
        case .embedded, .embeddedList, .embeddedAt, .holder:
            // The owner is the object itself.
            return walkBack(from: identity, rest, body)
        case .link, .links, .linkAt, .mixedLinks:
            let property = schema.classes[last.fromClass].members[last.member].number
            // An inverse link has the owner and the property, but not the link's position in a list or among the owner's embedded
            // objects. The owner's row has it.
            let start = rest.lastIndex(where: \.isLinkLike).map { $0 + 1 } ?? rest.startIndex
            let inner = steps[start...]
            // The property with the link, or with the embedded objects around it. If the path begins in one of these, the owner
            // stands for it, which may be of any class.
            let held = inner.first.flatMap {
                schema.classes[$0.fromClass].definition.kind == .embedded ? nil : $0.member
            }
            var goesOn = true
            transaction.scanOrigins(identity.classIndex, identity.key, property: property) {
                origin, _, _ in
                guard
                    held == nil
                        || origin.classIndex == inner.first?.fromClass
                            && leads(inner, from: origin, to: identity.key),
                    leadsThrough?(origin, held) ?? true
                else { return true }
                goesOn = walkBack(from: origin, rest[..<start], body)
                return goesOn
            }
            return goesOn
        case .inverse:
            let property = schema.classes[last.toClass].members[last.member].number
            let owner = schema.classes[identity.classIndex]
            guard let row = transaction.row(classIndex: identity.classIndex, key: identity.key)
            else { return true }
            var members = owner.members(holding: last.member, of: schema.classes[last.toClass])
            if let leadsThrough {
                members = MemberSet(members.positions.filter { leadsThrough(identity, $0) })
            }
            var targets: Set<UInt64> = []
            schema.forEachLink(of: owner, in: row, only: members, transaction) {
                held, targetClass, target in
                if held == property, targetClass == last.fromClass { targets.insert(target) }
            }
            return targets.allSatisfy { target in
                let target = ObjectIdentity(classIndex: last.fromClass, key: target)
                return leadsThrough?(target, nil) == false || walkBack(from: target, rest, body)
            }
        }
    }

    /// Whether steps into embedded objects and along a link lead from an object to a target.
    private func leads(
        _ steps: ArraySlice<PathStep>, from origin: ObjectIdentity, to key: UInt64
    ) -> Bool {
        // For such a step an inverse link of the property is enough: the step has no position in a list.
        if steps.count == 1, let kind = steps.first?.kind,
            kind == .link || kind == .links || kind == .mixedLinks
        {
            return true
        }
        guard let row = transaction.row(classIndex: origin.classIndex, key: origin.key) else {
            return false
        }
        return leads(
            steps, from: row, of: transaction.rows.classes[origin.classIndex], heldBy: [], to: key)
    }

    /// - `holders`: The rows around an embedded one, the innermost last.
    private func leads(
        _ steps: ArraySlice<PathStep>, from row: RowView, of outer: RowClass,
        heldBy holders: [RowView], to key: UInt64
    ) -> Bool {
        guard let step = steps.first else { return false }
        let inside = transaction.rows.classes[step.toClass]
        let rowClass = transaction.rows.classes[step.fromClass]
        func embedded(_ inner: RowView?) -> Bool {
            inner.map {
                leads(steps.dropFirst(), from: $0, of: inside, heldBy: holders + [row], to: key)
            } ?? false
        }
        switch step.kind {
        case .inverse: return false
        case .holder:
            return holders.last.map {
                leads(steps.dropFirst(), from: $0, of: inside, heldBy: holders.dropLast(), to: key)
            } ?? false
        // At any position within embedded objects.
        case .mixedLinks:
            let number = rowClass.members[step.member].number
            var isFound = false
            transaction.rows.forEachLink(of: outer, in: row, transaction) { held, target, found in
                if held == number, target == step.toClass, found == key { isFound = true }
            }
            return isFound
        case .link:
            let field = rowClass.field(step.member, in: row)
            return !field.isNull && field.load(UInt64.self) == key
        case .embedded: return embedded(rowClass.embedded(step.member, in: row))
        case .links, .embeddedList:
            let list = rowClass.collection(step.member, in: row, transaction)
            return !list.forEach(within: transaction.budget) { part, offset, _ in
                if part.isNull(offset) { return true }
                return step.kind == .links
                    ? part.pointer(offset).storedLink != key
                    : !embedded(RowView(part.bytes(offset)))
            }
        case .linkAt(let position), .embeddedAt(let position):
            let list = rowClass.collection(step.member, in: row, transaction)
            guard let (part, offset) = list.object(position) else { return false }
            if case .linkAt = step.kind { return part.pointer(offset).storedLink == key }
            return embedded(RowView(part.bytes(offset)))
        }
    }
}
