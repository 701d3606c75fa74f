import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension ObjectScript {
    /// Compares all that the store holds with the reference.
    ///
    /// - `expected`: The reference with what the last transaction did, for the change log.
    /// - `revision`: The schema that the reference has; when the store has another one by now nothing is
    ///   compared.
    func compare(
        _ expected: ReferenceObjects?, under revision: UInt64? = nil
    ) throws(StoreError) {
        let transaction = try store.read()
        defer { transaction.close() }
        if let revision, revision != transaction.catalog.schema.revision { return }
        let after = try StoreContents(transaction)
        for difference in reference.differences(from: after) { differ(difference) }
        let version = try transaction.state().version
        if version != reference.version {
            differ("the store is at version \(version), expected \(reference.version)")
        }
        if let expected, !expected.changes.isEmpty {
            try compareLog(expected, identities, after, transaction)
        }
        identities = after.identities
        contents = after.objects.mapValues(\.content)
        // The rest is looked at now and then: it costs more than a step.
        guard step % 10 == 0, differences.isEmpty else { return }
        try compareCounts(transaction)
        try compareInverseLinks(after, transaction)
        try compareQueries(after, transaction)
        for finding in try StoreCheck.run(store).findings {
            differ("check: \(finding.code), \(finding.detail)")
        }
    }

    private func compareCounts(_ transaction: ReadTransaction) throws(StoreError) {
        for rowClass in transaction.rows.classes where rowClass.definition.kind.standsAlone {
            let name = rowClass.definition.name
            let count = reference.objects.keys.count { $0.className == name }
            let found = try transaction.count(rowClass)
            if found != count { differ("\(found) objects of \(name) are counted, not \(count)") }
        }
    }

    // MARK: Inverse links

    private func compareInverseLinks(
        _ contents: StoreContents, _ transaction: ReadTransaction
    ) throws(StoreError) {
        for rowClass in transaction.rows.classes {
            for property in rowClass.definition.properties {
                guard case .linkingObjects(let originName, let forward) = property.type,
                    let originClass = transaction.rows.rowClass(named: originName),
                    let member = originClass.names.position(of: forward)
                else { continue }
                for (object, identity) in contents.identities
                where object.classIndex == rowClass.index {
                    var found: [Identity: Int] = [:]
                    transaction.forEachOrigin(
                        ofClass: rowClass.index, key: object.key, originClass: originClass.index,
                        member: member
                    ) { classIndex, key in
                        let origin = ObjectIdentity(classIndex: classIndex, key: key)
                        found[contents.identities[origin] ?? identity, default: 0] += 1
                        return true
                    }
                    try transaction.checkFailure()
                    let wanted = reference.origins(of: identity, originName, forward)
                    counts.inverseLinks += 1
                    if found != wanted {
                        differ("\(identity).\(property.name): \(found), expected \(wanted)")
                    }
                }
            }
        }
    }

    // MARK: Queries

    /// The types whose values queries compare by `<`.
    private static let ordered: Set<ScalarType> = [
        .int, .int8, .int16, .int32, .int64, .double, .float, .decimal128, .date,
    ]

    /// Asks for objects by the value of a property of each class, and for all of them in its order.
    private func compareQueries(
        _ contents: StoreContents, _ transaction: ReadTransaction
    ) throws(StoreError) {
        for rowClass in transaction.rows.classes where rowClass.definition.kind == .object {
            let own = reference.objects.filter { $0.key.className == rowClass.definition.name }
            let able = rowClass.definition.properties.filter { property in
                guard case .single(.scalar(let scalar)) = property.type else { return false }
                return scalar.canBeIndexed && scalar != .mixed
            }
            let indexed = able.filter {
                $0.keepsIndex || $0.name == rowClass.definition.primaryKey
            }
            guard
                let property = (indexed.isEmpty ? able : indexed).randomElement(using: &random),
                let one = own.keys.sorted().randomElement(using: &random),
                case .value(let value)? = own[one]?.content[property.name]
            else { continue }
            func keys(_ matches: (Value) -> Bool) -> Set<UInt64> {
                Set(
                    own.compactMap { identity, object in
                        guard case .value(let other)? = object.content[property.name],
                            matches(other)
                        else { return nil }
                        return contents.objects[identity]?.key
                    })
            }
            func compare(
                _ text: String, _ wanted: Set<UInt64>
            ) throws(StoreError) -> [UInt64] {
                counts.queries += 1
                let found = try run(text, [value], rowClass, transaction)
                if Set(found) != wanted || found.count != wanted.count {
                    differ(
                        "\(rowClass.definition.name) where \(text), \(value): \(found.sorted()), "
                            + "expected \(wanted.sorted())")
                }
                return found
            }
            _ = try compare("\(property.name) == $0", keys { Value.areEqual($0, value) })
            if value != .null, let scalar = property.scalar, Self.ordered.contains(scalar) {
                _ = try compare(
                    "\(property.name) < $0", keys { $0 != .null && $0.precedes(value) })
            }
            let sorted = try compare(
                "TRUEPREDICATE SORT(\(property.name) ASC)", keys { _ in true })
            let values = sorted.compactMap { key -> Value? in
                let object = ObjectIdentity(classIndex: rowClass.index, key: key)
                guard let identity = contents.identities[object],
                    case .value(let value)? = own[identity]?.content[property.name]
                else { return nil }
                return value
            }
            if zip(values, values.dropFirst()).contains(where: { $1.precedes($0) }) {
                differ("\(rowClass.definition.name) by \(property.name) is out of order")
            }
        }
    }

    private func run(
        _ text: String, _ arguments: [Value], _ rowClass: RowClass, _ transaction: ReadTransaction
    ) throws(StoreError) -> [UInt64] {
        var found: [UInt64] = []
        do {
            let compiled = try CompiledQuery.compile(
                text: text,
                arguments: text.contains("$") ? arguments.map { QueryArgument($0) } : [],
                rootClass: rowClass.index, schema: transaction.rows)
            let execution = try QueryExecution(
                ObjectQuery(
                    classIndex: rowClass.index, predicate: compiled.predicate, sort: compiled.sort),
                in: transaction)
            try execution.run(limit: 10_000) { key, _ in
                found.append(key)
                return true
            }
        } catch {
            differ("\(text) failed: \(error)")
        }
        return found
    }

    // MARK: The change log

    private func compareLog(
        _ expected: ReferenceObjects, _ before: [ObjectIdentity: Identity], _ after: StoreContents,
        _ transaction: ReadTransaction
    ) throws(StoreError) {
        let folded: FoldedChanges
        do {
            folded = try FoldedChanges(
                after: expected.version - 1, in: transaction, notesLists: true)
        } catch {
            return differ("the change log can't be read: \(error)")
        }
        var logged: [Identity: [ReferenceObjects.Change]] = [:]
        for object in folded.order {
            guard let change = folded[object],
                let name = before[object] ?? after.identities[object]
            else { continue }
            let members = transaction.rows.classes[object.classIndex].definition.properties
            if change.kind == .update, let old = before[object] {
                compareLists(folded, object, contents[old], after.objects[old]?.content, members)
            }
            logged[name, default: []].append(
                ReferenceObjects.Change(
                    kind: change.kind,
                    properties: Set(
                        members.indices.filter { change.members.contains($0) }
                            .map { members[$0].name })))
        }
        var wanted: [Identity: [ReferenceObjects.Change]] = [:]
        // Births in the order of time, as objects with one key follow each other.
        for birth in expected.changes.keys.sorted() {
            guard let change = expected.changes[birth], let name = expected.names[birth] else {
                continue
            }
            // What was born and died within the transaction was never seen.
            if change.kind == .delete, !expected.isOld(birth) { continue }
            wanted[name, default: []].append(change)
        }
        for name in Set(logged.keys).union(wanted.keys) where logged[name] != wanted[name] {
            differ("log of \(name): \(logged[name] ?? []), expected \(wanted[name] ?? [])")
        }
    }

    /// Applies what the log tells of lists to what they held.
    private func compareLists(
        _ folded: FoldedChanges, _ object: ObjectIdentity, _ old: ObjectContent?,
        _ new: ObjectContent?, _ properties: [Property]
    ) {
        for (member, property) in properties.enumerated() {
            guard let edits = folded.edits(ofList: member, of: object) else { continue }
            guard let before = old?[property.name]?.elements,
                let after = new?[property.name]?.elements
            else { continue }
            if edits.isReplaced {
                counts.replacedLists += 1
                continue
            }
            counts.splicedLists += 1
            var elements = before.map { Content?.some($0) }
            for splice in edits.splices {
                guard splice.index + splice.removed <= elements.count else {
                    return differ("\(property.name) of \(object): \(edits) beyond its end")
                }
                elements.replaceSubrange(
                    splice.index..<(splice.index + splice.removed),
                    with: Array(repeating: nil, count: splice.inserted))
            }
            let isSame =
                elements.count == after.count
                && zip(elements, after).allSatisfy { $0 == nil || $0 == $1 }
            if !isSame {
                differ("\(property.name) of \(object): \(edits) of \(before), now \(after)")
            }
        }
    }
}
