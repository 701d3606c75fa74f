import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Numbers the classes, properties, layouts and spaces of a proposed schema, and finds the objects to write and the leftovers.
struct CatalogPlan {
    private let comparison: SchemaComparison
    private let present: RowSchema
    private let proposed: Schema
    /// The classes as the store keeps them, in the proposed order.
    private(set) var classes: [Catalog.StoredClass] = []
    /// The classes with a new layout that still need a fill row.
    private(set) var newLayouts: Set<Int> = []
    private(set) var nextClass: UInt32
    private(set) var nextProperty: UInt32
    private(set) var staged: [Garbage] = []
    private(set) var garbage: [Garbage] = []
    /// The stored classes that have rows, or embedded rows in other rows, that are rewritten.
    private var rewrites: [Bool]
    /// The numbers of the indexes that are built.
    private var builtIndexes: Set<UInt32> = []
    /// The numbers of link properties that get their inverse links entered again.
    private var freshLinks: Set<UInt32> = []

    init(_ comparison: SchemaComparison, _ record: MigrationRecord) {
        self.comparison = comparison
        present = comparison.present.rows
        proposed = comparison.proposed
        nextClass = max(comparison.present.nextClassNumber, record.nextClass)
        nextProperty = max(comparison.present.nextPropertyNumber, record.nextProperty)
        rewrites = Array(repeating: false, count: comparison.present.rows.classes.count)
    }

    private func isFresh(_ match: SchemaComparison.MemberMatch?) -> Bool {
        match.map { $0.conversion != nil } ?? true
    }

    /// Returns the source of an added property's values.
    private func source(ofAdded property: Property, _ objectClass: ObjectClass)
        -> RowConversion.Source
    {
        switch property.effectiveDefault {
        case .uuid, .objectID:
            let isDeclared = property.defaultValue != nil && property.defaultValue != .user
            let isFresh = isDeclared || objectClass.primaryKey == property.name
            return isFresh ? .generated : .filled
        case .next: return .numbered
        case .constant, .now, .user: return .filled
        }
    }

    /// Whether an added property holds another value in each object.
    private func isGenerated(_ property: Property, _ objectClass: ObjectClass) -> Bool {
        if case .filled = source(ofAdded: property, objectClass) { return false }
        return true
    }

    /// Whether the objects of a proposed class get an added primary key that the store numbers.
    private func numbersObjects(_ new: Int) -> Bool {
        let objectClass = proposed.classes[new]
        guard let member = objectClass.primaryKeyIndex, comparison.members[new][member] == nil
        else { return false }
        return objectClass.properties[member].effectiveDefault == .next
    }

    /// Makes all parts that do not need the compiled catalog.
    mutating func make() {
        findRewrites()
        for (new, objectClass) in proposed.classes.enumerated() {
            let numbers = comparison.members[new].map { match in
                guard let match, match.conversion == nil, let old = comparison.oldClasses[new]
                else { return takeProperty() }
                return present.classes[old].members[match.old].number
            }
            if let old = comparison.oldClasses[new] {
                change(present.classes[old], objectClass, new, numbers)
            } else {
                newLayouts.insert(new)
                classes.append(
                    Catalog.StoredClass(
                        definition: objectClass, number: takeClass(), propertyNumbers: numbers,
                        layouts: [layout(1, objectClass, numbers)],
                        groupNumbers: objectClass.uniqueGroups.map { _ in takeProperty() },
                        searchNumbers: searchNumbers(nil, new)))
            }
        }
        for old in present.classes where comparison.newClasses[old.index] == nil { drop(old) }
        leaveLinks()
    }

    private mutating func takeProperty() -> UInt32 {
        nextProperty += 1
        return nextProperty - 1
    }

    private mutating func takeClass() -> UInt32 {
        nextClass += 1
        return nextClass - 1
    }

    private func layout(_ number: UInt32, _ objectClass: ObjectClass, _ numbers: [UInt32])
        -> RowLayout
    {
        RowLayout(
            number: number,
            properties: zip(objectClass.properties, numbers).map {
                ($1, Catalog.storage(of: $0, in: proposed))
            })
    }

    private mutating func findRewrites() {
        for (new, objectClass) in proposed.classes.enumerated() {
            guard let old = comparison.oldClasses[new] else { continue }
            rewrites[old] = zip(comparison.members[new], objectClass.properties).contains {
                match, property in
                match.map { $0.conversion != nil } ?? isGenerated(property, objectClass)
            }
        }
        for old in present.classes where old.definition.kind == .embedded {
            if losesOverflow(old) { rewrites[old.index] = true }
        }
        rewrites = RowConverter.spread(rewrites) { present.classes[$0].members }
    }

    /// Whether an embedded class loses a property with values that may be out of line. Only the layout of an owner's row shows
    /// that it may refer to such values.
    private func losesOverflow(_ old: RowClass) -> Bool {
        guard let new = comparison.newClasses[old.index] else { return false }
        let kept = Set(comparison.members[new].compactMap { $0?.old })
        return old.members.indices.contains {
            !kept.contains($0) && old.members[$0].storage.isInHeap
                && old.members[$0].storage.shape != .none
        }
    }

    private mutating func change(
        _ old: RowClass, _ objectClass: ObjectClass, _ new: Int, _ numbers: [UInt32]
    ) {
        var stored = Catalog.StoredClass(
            definition: objectClass, number: old.number, propertyNumbers: numbers,
            layouts: old.layouts)
        let wanted = layout((old.layout.number) + 1, objectClass, numbers)
        if rewrites[old.index] {
            stored.layouts = [wanted]
            newLayouts.insert(new)
        } else if Set(wanted.slots.map(\.propertyNumber))
            != Set(old.layout.slots.map(\.propertyNumber))
        {
            stored.layouts.append(wanted)
            newLayouts.insert(new)
        }
        if objectClass.kind.standsAlone {
            var spaces = Catalog.StoredClass.Spaces(rows: old.rowSpace, keys: old.keySpace)
            if rewrites[old.index] {
                spaces.rows = takeClass()
                staged.append(Garbage(.rows, spaces.rows, old.number))
                garbage.append(Garbage(.rows, old.rowSpace, old.number))
            }
            if entersKeys(new) {
                spaces.keys = takeClass()
                staged.append(Garbage(.keys, spaces.keys))
            }
            if old.primaryKeyIndex != nil, entersKeys(new) || objectClass.primaryKey == nil {
                garbage.append(Garbage(.keys, old.keySpace))
            }
            if spaces != Catalog.StoredClass.Spaces(rows: old.number, keys: old.number) {
                stored.spaces = spaces
            }
        }
        stored.groupNumbers = groupNumbers(old, objectClass, numbers)
        stored.searchNumbers = searchNumbers(old, new)
        compareIndexes(old, stored)
        classes.append(stored)
    }

    /// Whether a class's primary keys are entered again: they are other values than before.
    private func entersKeys(_ new: Int) -> Bool {
        guard let old = comparison.oldClasses[new],
            let member = proposed.classes[new].primaryKeyIndex
        else { return false }
        let match = comparison.members[new][member]
        return isFresh(match) || match?.old != present.classes[old].primaryKeyIndex
    }

    /// Finds the indexes to build, and the indexes to remove the entries of. An index that stays keeps its number.
    private mutating func compareIndexes(_ old: RowClass, _ new: Catalog.StoredClass) {
        let before = Set(ClassIndex.all(of: old).map(\.number))
        var after = Set(new.groupNumbers).union(new.searchNumbers.values)
        for (property, number) in zip(new.definition.properties, new.propertyNumbers)
        where property.keepsIndex && !new.definition.primaryKey.isSame(as: property.name) {
            // The primary key is found by its own entries.
            after.insert(number)
        }
        builtIndexes.formUnion(after.subtracting(before))
        staged += after.subtracting(before).sorted().map { Garbage(.index, $0) }
        garbage += before.subtracting(after).sorted().map { Garbage(.index, $0) }
    }

    /// Chooses the numbers of a class's unique groups: a group of the same properties keeps its entries.
    private mutating func groupNumbers(
        _ old: RowClass, _ new: ObjectClass, _ numbers: [UInt32]
    ) -> [UInt32] {
        var kept: [[UInt32]: UInt32] = [:]
        for unique in old.uniqueKeys where unique.isGroup {
            kept[unique.members.map { old.members[$0].number }] = unique.number
        }
        return new.uniqueGroups.map { names in
            let members = names.compactMap { new.propertyIndex(named: $0) }
            return kept.removeValue(forKey: members.map { numbers[$0] }) ?? takeProperty()
        }
    }

    /// Chooses the numbers of a class's search indexes: one of the same kind and values keeps its entries.
    private mutating func searchNumbers(_ old: RowClass?, _ new: Int) -> [Int: UInt32] {
        var numbers: [Int: UInt32] = [:]
        for (member, property) in proposed.classes[new].properties.enumerated() {
            guard let kind = property.searchIndex else { continue }
            let match = comparison.members[new][member]
            let index = old?.searchIndexes.first { $0.member == match?.old && $0.kind == kind }
            if let index, !isFresh(match), kind != .geo || comparison.keepsPoints(property) {
                numbers[member] = index.number
            } else {
                numbers[member] = takeProperty()
            }
        }
        return numbers
    }

    private mutating func drop(_ old: RowClass) {
        garbage += ClassIndex.all(of: old).map { Garbage(.index, $0.number) }
        guard old.definition.kind.standsAlone else { return }
        garbage += [
            Garbage(.rows, old.rowSpace, old.number), Garbage(.overflow, old.number),
            Garbage(.classState, old.number), Garbage(.incoming, old.number),
        ]
        if old.primaryKeyIndex != nil { garbage.append(Garbage(.keys, old.keySpace)) }
    }

    // MARK: Links

    /// Finds the inverse links to remove and to enter again.
    private mutating func leaveLinks() {
        var kept: Set<UInt32> = []
        for (new, stored) in classes.enumerated() {
            guard let old = comparison.oldClasses[new] else { continue }
            for (member, number) in stored.propertyNumbers.enumerated() {
                guard let match = comparison.members[new][member] else { continue }
                guard let conversion = match.conversion else {
                    kept.insert(number)
                    continue
                }
                guard conversion.keepsLinks else { continue }
                freshLinks.insert(number)
                staged += targets(of: present.classes[old].members[match.old]).map {
                    Garbage(.inverse, $0, number)
                }
            }
        }
        for rowClass in present.classes {
            for member in rowClass.members where !kept.contains(member.number) {
                garbage += targets(of: member).map { Garbage(.inverse, $0, member.number) }
            }
        }
        for rowClass in present.classes where comparison.newClasses[rowClass.index] == nil {
            leaveEmbeddedLinks(of: rowClass, kept)
        }
    }

    /// Returns the numbers of the classes that stay and that a property may link to.
    private func targets(of member: RowClass.Member) -> [UInt32] {
        switch (member.storage.shape, member.storage.element) {
        case (.none, _): []
        case (_, .link):
            comparison.newClasses[member.classIndex] == nil
                ? [] : [present.classes[member.classIndex].number]
        case (_, .mixed):
            present.classes.filter {
                $0.definition.kind == .object && comparison.newClasses[$0.index] != nil
            }.map(\.number)
        default: []
        }
    }

    /// Notes the links that objects of a class that goes have through classes that stay.
    private mutating func leaveEmbeddedLinks(of origin: RowClass, _ kept: Set<UInt32>) {
        guard origin.definition.kind.standsAlone else { return }
        var seen: Set<Int> = [origin.index]
        var waiting = [origin]
        while let rowClass = waiting.popLast() {
            for member in rowClass.members where member.storage.shape != .none {
                if member.storage.element == .embedded, seen.insert(member.classIndex).inserted {
                    waiting.append(present.classes[member.classIndex])
                }
                guard kept.contains(member.number) else { continue }
                garbage += targets(of: member).map {
                    Garbage(.inverseOfOrigin, $0, member.number, origin.number)
                }
            }
        }
    }

    // MARK: With the compiled catalog

    /// Makes the conversions of rows, by positions of the present classes.
    func conversions(to target: RowSchema) -> [RowConversion?] {
        present.classes.map { old in
            guard let new = comparison.newClasses[old.index] else { return nil }
            let objectClass = proposed.classes[new]
            let members = zip(comparison.members[new], objectClass.properties).map {
                match, property -> RowConversion.Source in
                if case .linkingObjects = property.type { return .nothing }
                guard let match else { return source(ofAdded: property, objectClass) }
                return match.conversion.map { .converted(match.old, $0) } ?? .kept(match.old)
            }
            return RowConversion(
                source: old, target: target.classes[new], members: members,
                checks: comparison.checks[old.index])
        }
    }

    /// Lists the work for each class, by its position among the present ones.
    func works(to target: RowSchema) -> [Int: ClassWork] {
        var works: [Int: ClassWork] = [:]
        for old in present.classes where old.definition.kind.standsAlone {
            guard let new = comparison.newClasses[old.index] else { continue }
            let rewrites = rewrites[old.index]
            let work = ClassWork(
                source: old, target: target.classes[new], rewrites: rewrites,
                indexes: ClassIndex.all(of: target.classes[new]).filter {
                    builtIndexes.contains($0.number)
                }, links: rewrites ? freshLinks : [], numbersObjects: numbersObjects(new),
                entersKeys: entersKeys(new))
            if work.isNeeded { works[old.index] = work }
        }
        return works
    }

    /// Lists the unique keys that are new for objects that are there already.
    func uniquenessTests(to target: RowSchema) -> [(rowClass: RowClass, unique: UniqueKey)] {
        target.classes.flatMap { rowClass -> [(rowClass: RowClass, unique: UniqueKey)] in
            guard let old = comparison.oldClasses[rowClass.index] else { return [] }
            let before = present.classes[old].uniqueKeys.map(\.number)
            return rowClass.uniqueKeys.filter { !before.contains($0.number) }.map { (rowClass, $0) }
        }
    }
}

extension ObjectClass {
    /// The position of the primary key.
    fileprivate var primaryKeyIndex: Int? { primaryKey.flatMap { propertyIndex(named: $0) } }
}

extension CatalogPlan {
    /// Gives the newest layout of each listed class its fill row: the declared constants, the
    /// migration's time for `$now`, and zero values for the rest.
    static func withFillRows(
        _ classes: [Catalog.StoredClass], _ positions: Set<Int>
    ) -> [Catalog.StoredClass] {
        var result = classes
        let builder = RowBuilder()
        builder.now = Timestamp.now()
        // Defaults of embedded objects are null and of collections empty, so classes don't depend on
        // each other's fill rows, and a catalog without them can lay out all rows.
        let draft = Catalog(
            revision: 0, schemaVersion: nil, classes: classes, projections: [], nextClass: 1,
            nextProperty: 1)
        let buffer = ByteBuffer()
        for position in positions {
            buffer.removeAll()
            builder.appendFill(draft.rows.classes[position], to: buffer)
            let last = result[position].layouts.count - 1
            result[position].layouts[last].fillRow = buffer.array
        }
        return result
    }
}
