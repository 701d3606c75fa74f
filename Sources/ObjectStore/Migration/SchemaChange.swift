import Bytes
import ObjectModel
import Rows

/// The difference between a stored schema and a proposed one, and the catalog that follows.
///
/// Additions are performed: classes, properties with their defaults, inverse links, and indexes, which
/// may also go. Everything else is refused with a fault for each difference.
struct SchemaChange {
    /// An index to fill.
    struct IndexBuild {
        /// Of what the entries are.
        enum Source: Equatable {
            /// Of a property, by its position.
            case member(Int)
            /// Of a unique group, by its position among the groups of the class.
            case group(Int)
        }

        var classIndex: Int
        var source: Source
    }

    /// What becomes unique in a class that may hold objects.
    struct UniquenessTest {
        var classIndex: Int
        /// The number of the property or the group.
        var number: UInt32
    }

    /// The catalog of the proposed schema.
    let catalog: Catalog
    /// Indexes to fill from rows that are there already, by positions in ``catalog``.
    private(set) var indexesToBuild: [IndexBuild] = []
    /// What has to be unique among the objects that are there already.
    private(set) var uniquenessTests: [UniquenessTest] = []
    /// The numbers of properties and unique groups whose index goes.
    private(set) var indexesToDrop: [UInt32] = []
    /// Classes whose rows have to be written anew because an added property has a random default.
    private(set) var classesToRewrite: [Int] = []
    /// Classes that got a new layout; their fill rows are made when the migration runs.
    private(set) var newLayouts: Set<Int> = []
    /// Whether anything differs.
    let isChange: Bool

    /// Compares.
    ///
    /// - `projections`: Those that are wanted; nil leaves them as they are. They have to hold in the
    ///   proposed schema.
    init(from present: Catalog, to proposed: Schema, projections wanted: [Projection]? = nil)
        throws(StoreError)
    {
        let faults = proposed.faults()
        if !faults.isEmpty { throw .invalidSchema(faults) }
        let projections = wanted ?? present.projections
        let broken = Projection.faults(of: projections, in: proposed)
        if !broken.isEmpty { throw .brokenProjections(broken) }
        var plan = Plan(present: present, proposed: proposed)
        plan.compareClasses()
        if !plan.refusals.isEmpty { throw .unsupportedMigration(plan.refusals) }
        isChange = plan.isChange || projections != present.projections
        indexesToBuild = plan.indexesToBuild
        indexesToDrop = plan.indexesToDrop
        uniquenessTests = plan.uniquenessTests
        classesToRewrite = plan.classesToRewrite
        newLayouts = plan.newLayouts
        catalog = Catalog(
            revision: present.schema.revision + (isChange ? 1 : 0),
            schemaVersion: proposed.schemaVersion ?? present.schema.schemaVersion,
            classes: Migration.withFillRows(plan.classes, plan.newLayouts, proposed),
            projections: projections,
            nextClass: plan.nextClass, nextProperty: plan.nextProperty)
    }

    /// The comparison under way.
    private struct Plan {
        let present: Catalog
        let proposed: Schema
        var classes: [Catalog.StoredClass] = []
        var indexesToBuild: [IndexBuild] = []
        var indexesToDrop: [UInt32] = []
        var uniquenessTests: [UniquenessTest] = []
        var classesToRewrite: [Int] = []
        var newLayouts: Set<Int> = []
        var refusals: [SchemaFault] = []
        var nextClass: UInt32
        var nextProperty: UInt32
        var isChange: Bool

        init(present: Catalog, proposed: Schema) {
            self.present = present
            self.proposed = proposed
            nextClass = present.nextClassNumber
            nextProperty = present.nextPropertyNumber
            isChange =
                proposed.classes != present.schema.classes
                || proposed.schemaVersion != nil
                    && proposed.schemaVersion != present.schema.schemaVersion
        }

        mutating func compareClasses() {
            let stored = present.storedClasses
            for objectClass in proposed.classes {
                if let old = stored.first(where: { $0.definition.name == objectClass.name }) {
                    compare(old, with: objectClass)
                } else {
                    add(objectClass)
                }
            }
            for old in stored where proposed.objectClass(named: old.definition.name) == nil {
                refuse(
                    old.definition.name, nil,
                    "Dropping a class is not supported yet; keep it in the schema.")
            }
        }

        mutating func refuse(_ className: String, _ property: String?, _ detail: String) {
            refusals.append(SchemaFault(className: className, property: property, detail: detail))
        }

        mutating func takeNumber() -> UInt32 {
            nextProperty += 1
            return nextProperty - 1
        }

        mutating func add(_ objectClass: ObjectClass) {
            let numbers = objectClass.properties.map { _ in takeNumber() }
            newLayouts.insert(classes.count)
            classes.append(
                Catalog.StoredClass(
                    definition: objectClass, number: nextClass, propertyNumbers: numbers,
                    layouts: [layout(1, objectClass, numbers)],
                    groupNumbers: objectClass.uniqueGroups.map { _ in takeNumber() }))
            nextClass += 1
        }

        func layout(_ number: UInt32, _ objectClass: ObjectClass, _ numbers: [UInt32]) -> RowLayout
        {
            RowLayout(
                number: number,
                properties: zip(objectClass.properties, numbers).map {
                    ($1, Catalog.storage(of: $0, in: proposed))
                })
        }

        mutating func compare(_ old: Catalog.StoredClass, with new: ObjectClass) {
            let name = new.name
            if old.definition.kind != new.kind {
                refuse(name, nil, "Changing a class's kind is not supported yet.")
            }
            if old.definition.primaryKey != new.primaryKey {
                refuse(name, nil, "Changing the primary key is not supported yet.")
            }
            var numbers: [UInt32] = []
            var hasNewSlots = false
            for (member, property) in new.properties.enumerated() {
                guard let position = old.definition.propertyIndex(named: property.name) else {
                    numbers.append(takeNumber())
                    addMember(member, numbers[member], property, new)
                    if case .linkingObjects = property.type { continue }
                    hasNewSlots = true
                    continue
                }
                numbers.append(old.propertyNumbers[position])
                compare(old.definition.properties[position], property, member, numbers[member], new)
            }
            for property in old.definition.properties
            where new.propertyIndex(named: property.name) == nil {
                refuse(
                    name, property.name,
                    "Dropping a property is not supported yet; keep it in the schema.")
            }
            var layouts = old.layouts
            if hasNewSlots {
                newLayouts.insert(classes.count)
                layouts.append(layout((layouts.last?.number ?? 0) + 1, new, numbers))
            }
            let groupNumbers = compareGroups(old, new, numbers)
            classes.append(
                Catalog.StoredClass(
                    definition: new, number: old.number, propertyNumbers: numbers,
                    layouts: layouts, groupNumbers: groupNumbers))
        }

        /// Notes what an added property of an existing class needs.
        private mutating func addMember(
            _ member: Int, _ number: UInt32, _ property: Property, _ objectClass: ObjectClass
        ) {
            if property.keepsIndex {
                indexesToBuild.append(
                    IndexBuild(classIndex: classes.count, source: .member(member)))
            }
            if property.isUnique { testUniqueness(of: number) }
            guard property.defaultValue == .uuid || property.defaultValue == .objectID else {
                return
            }
            if objectClass.kind == .embedded {
                refuse(
                    objectClass.name, property.name,
                    "Adding a random default to an existing embedded class is not supported yet.")
            } else if classesToRewrite.last != classes.count {
                classesToRewrite.append(classes.count)
            }
        }

        private mutating func compare(
            _ old: Property, _ new: Property, _ member: Int, _ number: UInt32,
            _ objectClass: ObjectClass
        ) {
            if old.type != new.type {
                refuse(
                    objectClass.name, new.name, "Changing a property's type is not supported yet.")
            }
            if old.isOptional != new.isOptional {
                refuse(
                    objectClass.name, new.name,
                    "Changing whether a property is optional is not supported yet.")
            }
            if let cases = new.cases, !cases.containsAll(of: old.cases) {
                refuse(
                    objectClass.name, new.name,
                    "Making an enum of a property, or taking values from one, is not supported yet."
                )
            }
            guard objectClass.primaryKey != new.name else { return }
            if new.keepsIndex, !old.keepsIndex {
                indexesToBuild.append(
                    IndexBuild(classIndex: classes.count, source: .member(member)))
            } else if old.keepsIndex, !new.keepsIndex {
                indexesToDrop.append(number)
            }
            if new.isUnique, !old.isUnique { testUniqueness(of: number) }
        }

        private mutating func testUniqueness(of number: UInt32) {
            uniquenessTests.append(UniquenessTest(classIndex: classes.count, number: number))
        }

        /// The numbers of a class's unique groups: a group of the same properties keeps its entries.
        private mutating func compareGroups(
            _ old: Catalog.StoredClass, _ new: ObjectClass, _ numbers: [UInt32]
        ) -> [UInt32] {
            func properties(_ group: [String], _ objectClass: ObjectClass, _ numbers: [UInt32])
                -> [UInt32]
            {
                group.compactMap { objectClass.propertyIndex(named: $0).map { numbers[$0] } }
            }
            var kept: [[UInt32]: UInt32] = [:]
            for (group, number) in zip(old.definition.uniqueGroups, old.groupNumbers) {
                kept[properties(group, old.definition, old.propertyNumbers)] = number
            }
            var result: [UInt32] = []
            for (position, group) in new.uniqueGroups.enumerated() {
                if let number = kept.removeValue(forKey: properties(group, new, numbers)) {
                    result.append(number)
                    continue
                }
                result.append(takeNumber())
                indexesToBuild.append(
                    IndexBuild(classIndex: classes.count, source: .group(position)))
                testUniqueness(of: result[position])
            }
            indexesToDrop.append(contentsOf: kept.values)
            return result
        }
    }
}

extension [Value] {
    /// Whether every value of an enum is in this one; nil stands for any value.
    fileprivate func containsAll(of others: [Value]?) -> Bool {
        guard let others else { return false }
        return Set(others).isSubset(of: self)
    }
}
