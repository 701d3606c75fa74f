import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport

/// Changes of the schema.
extension ObjectScript {
    /// Changes the schema in any way, perhaps beside transactions, and perhaps closes the store meanwhile.
    func evolve() throws {
        let evolution = RandomEvolution(classes, &schemas, &random)
        let (next, renames) = (evolution.classes, evolution.renames)
        guard Schema(classes: next).faults().isEmpty, next.contains(where: { $0.kind == .object })
        else { return }
        counts.operations += 1
        (lastChange, lastChangeStep) = ((classes, next, renames), step)
        let isChange = classes != next
        let mayLose = Int.random(in: 0..<3, using: &random) > 0
        let revision = store.catalog.schema.revision
        var wasBeside = false
        var wasLossy = expected(next, renames).isLossy
        // Values that become equal are found whenever the store looks, also those of objects that go later.
        var wasShared = shares(next, renames)
        let write = AwaitedSchemaWrite { _ in
            SchemaProposal(Schema(classes: next), renames: renames, allowsDataLoss: mayLose)
        }
        if options.migrationObjectCountMax == 0 {
            engine.slowDown(microseconds: 500)
        }
        defer { engine.slowDown(microseconds: 0) }
        store.submit(write)
        if options.migrationObjectCountMax == 0 {
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                guard try runTransaction(under: revision) else { break }
                counts.beside += 1
                wasBeside = true
                // What is lost by a write counts, whatever comes after it.
                wasLossy = true
                wasShared = wasShared || shares(next, renames)
            }
        }
        let isClosed = Int.random(in: 0..<8, using: &random) == 0
        if isClosed { store.close() }
        let evolved = expected(next, renames)
        do throws(StoreError) {
            let version = try write.wait()
            counts.migrations += 1
            if evolved.isLossy, !mayLose { differ("a change of the schema that loses was made") }
            takeOver(evolved, next, renames, isChange)
            if isChange, version != reference.version {
                differ("the schema made version \(version), expected \(reference.version)")
            }
            if reference.sharesUniqueValues { differ("what is shared became unique") }
        } catch {
            counts.refusals += 1
            switch error {
            case .lossyMigration where !mayLose && (wasLossy || evolved.isLossy): break
            // What came when the store had looked for losses already, and found none of its kind.
            case .lossyMigration where wasBeside: break
            case .sharedValues where wasShared: break
            case .closing where isClosed: break
            default: differ("the schema was refused: \(error)")
            }
        }
        if isClosed { return try reopen() }
        try compareEvolved()
        if Bool.random(using: &random) {
            try store.awaitCleanUp()
            try compare(nil)
        }
    }

    private func expected(_ next: [ObjectClass], _ renames: SchemaRenames) -> EvolvedContents {
        EvolvedContents(
            reference.objects.mapValues(\.content), from: classes, to: next, renames)
    }

    /// Whether the change would make objects share a unique value, as the store is now.
    private func shares(_ next: [ObjectClass], _ renames: SchemaRenames) -> Bool {
        var after = reference
        after.evolve(to: next, renames, expected(next, renames), makesVersion: true)
        return after.sharesUniqueValues
    }

    private func takeOver(
        _ evolved: EvolvedContents, _ next: [ObjectClass], _ renames: SchemaRenames,
        _ isChange: Bool
    ) {
        // What the store has made up beside the change was not seen before it was converted.
        unseen = Set(
            reference.objects.filter { $0.value.content.values.contains(where: \.isMadeUp) }
                .map { Identity(renames.newName(ofClass: $0.key.className), $0.key.key) })
        reference.evolve(to: next, renames, evolved, makesVersion: isChange)
        classes = next
    }

    private func compareEvolved() throws(StoreError) {
        let contents = try store.contents()
        for identity in unseen {
            guard let object = contents.objects[identity] else { continue }
            reference.objects[identity]?.content = object.content
        }
        unseen = []
        try compare(nil)
    }
}

extension Content {
    /// Whether it holds something that the store makes up.
    fileprivate var isMadeUp: Bool {
        switch self {
        case .generated: true
        case .embedded, .embeddedList, .entries:
            ReferenceObjects.inner(self).contains { $0.values.contains(where: \.isMadeUp) }
        default: false
        }
    }
}

extension ObjectScript {
    /// What was done last, for whoever looks for a fault.
    package var lastText: String {
        let operations =
            "last transaction, step \(lastOperations.step): \(lastOperations.operations)"
        guard let (before, after, renames) = lastChange else { return operations }
        var lines = [operations, "last change of the schema, step \(lastChangeStep):"]
        for objectClass in after {
            let old = renames.oldName(ofClass: objectClass.name)
            let oldClass = before.first { $0.name == old }
            for property in objectClass.properties {
                let name = renames.oldName(ofProperty: property.name, inNew: objectClass.name)
                let oldProperty = oldClass?.properties.first { $0.name == name }
                if oldProperty != property {
                    lines.append(
                        "\(objectClass.name): \(oldProperty.map { "\($0)" } ?? "none") → \(property)"
                    )
                }
            }
        }
        for objectClass in before
        where !after.contains(where: { renames.oldName(ofClass: $0.name) == objectClass.name }) {
            lines.append("without \(objectClass.name)")
        }
        return lines.joined(separator: "\n")
    }
}
