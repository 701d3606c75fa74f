import Query
import Rows

/// The dependency paths of a query, walked backwards to find the objects that a change of others may concern.
///
/// A filter or an expanded link reads other objects along paths. When one of those changes, the paths
/// are walked backwards: along inverse links for a step forward, along the links themselves for a step
/// back. It is enough to walk in the newer state: where a link on the path changed, its holder has
/// changed too, or its former target is listed among the lost links.
struct DependencyPaths: Sendable {
    /// A step back along a property, whose targets concern the query when they lose a link.
    private struct Loss: Hashable {
        var steps: [PathStep]
        var propertyNumber: UInt32
        var classIndex: Int
    }

    private let rootClass: Int
    /// Properties of other objects whose changes concern the query.
    private let watchedProperties: [Dependency]
    private let losses: [Loss]
    /// Properties of the query's own objects that it reads, inverse links included.
    let ownMembers: MemberSet

    /// - `dependencies`: With those on the way to others.
    init(rootClass: Int, _ dependencies: [Dependency], schema: RowSchema) {
        self.rootClass = rootClass
        var watchedProperties: Set<Dependency> = []
        var losses: Set<Loss> = []
        var own = MemberSet()
        for var dependency in dependencies {
            let read = schema.classes[dependency.classIndex].members[dependency.member]
            if read.originProperty >= 0 {
                // An inverse link read at the end of the path.
                let back = PathStep(
                    kind: .inverse, fromClass: dependency.classIndex, toClass: read.classIndex,
                    member: read.originProperty)
                dependency = Dependency(
                    classIndex: read.classIndex, member: read.originProperty,
                    path: dependency.path + [back])
            }
            if let last = dependency.path.last, last.kind == .inverse,
                last.member == dependency.member
            {
                losses.insert(
                    Loss(
                        steps: dependency.path.dropLast(),
                        propertyNumber: schema.classes[last.toClass].members[last.member].number,
                        classIndex: last.fromClass))
            }
            let watched = Self.atOwner(dependency, schema)
            if watched.path.isEmpty {
                own.insert(watched.member)
            } else {
                watchedProperties.insert(watched)
            }
        }
        ownMembers = own
        self.watchedProperties = Array(watchedProperties)
        self.losses = Array(losses)
    }

    /// Embedded objects change with their owner, so a property in one is watched as the owner's property.
    private static func atOwner(_ dependency: Dependency, _ schema: RowSchema) -> Dependency {
        var watched = dependency
        while let last = watched.path.last, last.kind != .inverse,
            schema.classes[watched.classIndex].definition.kind == .embedded,
            last.toClass == watched.classIndex
        {
            watched.path.removeLast()
            watched.member = last.member
            watched.classIndex = last.fromClass
        }
        return watched
    }

    /// Whether changes of other objects than the query's own can concern it.
    var isEmpty: Bool { watchedProperties.isEmpty && losses.isEmpty }

    /// The classes whose objects are watched; nil with embedded objects, whose owners may be of any class.
    func classes(_ schema: RowSchema) -> Set<Int>? {
        let found = Set(watchedProperties.map(\.classIndex))
        return found.contains { schema.classes[$0].definition.kind == .embedded } ? nil : found
    }

    /// Hands over each object of the query's class that the changes may concern, with the property of
    /// its own through which they are reached, until `body` returns false; an object may come several times.
    func forEachCandidate(
        _ changes: FoldedChanges, in transaction: ReadTransaction,
        _ body: (_ key: UInt64, _ member: Int?) -> Bool
    ) {
        for watched in watchedProperties {
            for identity in changes.order {
                guard let change = changes.changes[identity], change.kind != .delete,
                    change.kind == .insert || change.members.contains(watched.member)
                        || isEmbedding(watched, identity, change, transaction)
                else { continue }
                if identity.classIndex != watched.classIndex,
                    transaction.rows.classes[watched.classIndex].definition.kind != .embedded
                {
                    continue
                }
                let goesOn = walkBack(from: identity, watched.path[...], transaction) { key in
                    body(key, topMember(watched.path, transaction.rows))
                }
                if !goesOn { return }
            }
        }
        for loss in losses {
            for lost in changes.lostLinks where lost.propertyNumber == loss.propertyNumber {
                guard let index = transaction.rows.classIndexByNumber[lost.classNumber],
                    index == loss.classIndex
                else { continue }
                let target = ObjectIdentity(classIndex: index, key: lost.key)
                let goesOn = walkBack(from: target, loss.steps[...], transaction) { key in
                    body(
                        key,
                        topMember(loss.steps, transaction.rows)
                            ?? inverseMember(loss, transaction.rows))
                }
                if !goesOn { return }
            }
        }
    }

    /// Whether the object owns embedded objects of the watched class, whose properties are not logged.
    private func isEmbedding(
        _ watched: Dependency, _ identity: ObjectIdentity, _ change: FoldedChanges.Change,
        _ transaction: ReadTransaction
    ) -> Bool {
        let schema = transaction.rows
        guard schema.classes[watched.classIndex].definition.kind == .embedded else { return false }
        return schema.classes[identity.classIndex].members.indices.contains { member in
            change.members.contains(member)
                && schema.classes[identity.classIndex].members[member].storage.element == .embedded
        }
    }

    private func topMember(_ steps: [PathStep], _ schema: RowSchema) -> Int? {
        guard let first = steps.first else { return nil }
        if case .inverse = first.kind {
            return schema.classes[rootClass].members.firstIndex {
                $0.originProperty == first.member && $0.classIndex == first.toClass
            }
        }
        return first.member
    }

    private func inverseMember(_ loss: Loss, _ schema: RowSchema) -> Int? {
        schema.classes[rootClass].members.firstIndex { member in
            member.originProperty >= 0
                && schema.classes[member.classIndex].members[member.originProperty].number
                    == loss.propertyNumber
        }
    }

    /// Walks a path backwards from its end and hands over the objects at its beginning until `body` returns false.
    ///
    /// - Returns: Whether it never did.
    private func walkBack(
        from identity: ObjectIdentity, _ steps: ArraySlice<PathStep>,
        _ transaction: ReadTransaction,
        _ body: (UInt64) -> Bool
    ) -> Bool {
        guard let last = steps.last else {
            return identity.classIndex == rootClass ? body(identity.key) : true
        }
        let schema = transaction.rows
        let rest = steps.dropLast()
        switch last.kind {
        case .embedded, .embeddedList, .embeddedAt:
            // The owner is the object itself.
            return walkBack(from: identity, rest, transaction, body)
        case .link, .links, .linkAt, .mixedLinks:
            let property = schema.classes[last.fromClass].members[last.member].number
            // An inverse link has the owner and the property, but neither where among the owner's
            // embedded objects the link stands nor where in a list; the owner's row does.
            let start = rest.lastIndex(where: \.isLinkLike).map { $0 + 1 } ?? rest.startIndex
            let inner = steps[start...]
            // Where the path begins here, only the identity of the owners is needed.
            if rest.isEmpty, last.kind.isKnownFromInverse,
                schema.classes[rootClass].definition.kind != .embedded
            {
                var goesOn = true
                transaction.scanOrigins(
                    identity.classIndex, identity.key, property: property, from: nil
                ) { origin, _ in
                    if origin.classIndex == rootClass { goesOn = body(origin.key) }
                    return goesOn
                }
                return goesOn
            }
            var origins: [ObjectIdentity] = []
            transaction.scanOrigins(
                identity.classIndex, identity.key, property: property, from: nil
            ) { origin, _ in
                origins.append(origin)
                return true
            }
            // Where the path begins in an embedded object, the owner stands
            // for it, which may be of any class.
            let isOwned = inner.first.map {
                schema.classes[$0.fromClass].definition.kind == .embedded
            }
            for origin in origins
            where isOwned ?? false
                || origin.classIndex == inner.first?.fromClass
                    && leads(inner, from: origin, to: identity.key, transaction)
            {
                guard walkBack(from: origin, rest[..<start], transaction, body) else {
                    return false
                }
            }
            return true
        case .inverse:
            let property = schema.classes[last.toClass].members[last.member].number
            let owner = schema.classes[identity.classIndex]
            guard let row = transaction.row(classIndex: identity.classIndex, key: identity.key)
            else { return true }
            var targets: Set<UInt64> = []
            schema.forEachLink(of: owner, in: row, transaction) { held, targetClass, target in
                if held == property, targetClass == last.fromClass { targets.insert(target) }
            }
            return targets.allSatisfy { target in
                walkBack(
                    from: ObjectIdentity(classIndex: last.fromClass, key: target), rest,
                    transaction, body)
            }
        }
    }

    /// Whether steps into embedded objects and along a link lead from an object to a target.
    private func leads(
        _ steps: ArraySlice<PathStep>, from origin: ObjectIdentity, to key: UInt64,
        _ transaction: ReadTransaction
    ) -> Bool {
        if steps.count == 1, steps.first?.kind.isKnownFromInverse ?? false { return true }
        guard let row = transaction.row(classIndex: origin.classIndex, key: origin.key) else {
            return false
        }
        return leads(steps, from: row, to: key, transaction)
    }

    private func leads(
        _ steps: ArraySlice<PathStep>, from row: RowView, to key: UInt64,
        _ transaction: ReadTransaction
    ) -> Bool {
        guard let step = steps.first else { return false }
        let rowClass = transaction.rows.classes[step.fromClass]
        func embedded(_ inner: RowView?) -> Bool {
            inner.map { leads(steps.dropFirst(), from: $0, to: key, transaction) } ?? false
        }
        switch step.kind {
        case .inverse: return false
        // The inverse link says that the owner's value leads here.
        case .mixedLinks: return true
        case .link:
            let field = rowClass.field(step.member, in: row)
            return !field.isNull && field.load(UInt64.self) == key
        case .embedded: return embedded(rowClass.embedded(step.member, in: row))
        case .links, .embeddedList:
            let list = rowClass.collection(step.member, in: row, transaction)
            return !list.forEach { part, offset, _ in
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

extension PathStep.Kind {
    /// Whether an inverse link of the property says all of the step: it has no position in a list.
    fileprivate var isKnownFromInverse: Bool {
        self == .link || self == .links || self == .mixedLinks
    }
}
