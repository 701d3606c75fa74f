import HoldfastObjectModel
import HoldfastRows

/// The schema as the store keeps it: with the numbers of classes and properties, and with the layouts
/// that rows were ever written in. Immutable; safe to use from any thread.
package final class Catalog: Sendable {
    /// The classes, ready for rows.
    package let rows: RowSchema
    /// The number that the next new class gets.
    let nextClassNumber: UInt32
    /// The number that the next new property gets.
    let nextPropertyNumber: UInt32

    /// The schema as declared.
    package var schema: Schema { rows.definition }
    /// The projections, in the order in which they were made.
    package var projections: [Projection] { rows.projections }

    /// A class as the store keeps it.
    struct StoredClass {
        var definition: ObjectClass
        var number: UInt32
        var propertyNumbers: [UInt32]
        var layouts: [RowLayout]
        /// One for each unique group of the definition.
        var groupNumbers: [UInt32] = []
        /// The numbers of search indexes, by the position of their property.
        var searchNumbers: [Int: UInt32] = [:]
        /// The numbers of rows and primary keys, if they don't lie under ``number``.
        var spaces: Spaces?

        /// The numbers under which rows and primary keys are stored.
        struct Spaces: Equatable {
            var rows: UInt32
            var keys: UInt32
        }
    }

    /// An empty catalog, of a new store.
    convenience init() {
        self.init(
            revision: 0, schemaVersion: nil, classes: [], projections: [], nextClass: 1,
            nextProperty: 1)
    }

    init(
        revision: UInt64, schemaVersion: UInt64?, classes: [StoredClass],
        projections: [Projection], nextClass: UInt32, nextProperty: UInt32
    ) {
        let schema = Schema(
            revision: revision, schemaVersion: schemaVersion, classes: classes.map(\.definition))
        rows = Catalog.compile(schema, classes, projections)
        nextClassNumber = nextClass
        nextPropertyNumber = nextProperty
    }

    /// The classes with their numbers and layouts.
    var storedClasses: [StoredClass] {
        rows.classes.map { rowClass in
            StoredClass(
                definition: rowClass.definition, number: rowClass.number,
                propertyNumbers: rowClass.members.map(\.number), layouts: rowClass.layouts,
                groupNumbers: rowClass.uniqueKeys.filter(\.isGroup).map(\.number),
                searchNumbers: Dictionary(
                    rowClass.searchIndexes.map { ($0.member, $0.number) },
                    uniquingKeysWith: { first, _ in first }),
                spaces: rowClass.rowSpace == rowClass.number && rowClass.keySpace == rowClass.number
                    ? nil : StoredClass.Spaces(rows: rowClass.rowSpace, keys: rowClass.keySpace))
        }
    }

    /// Returns the storage of a property of a schema. Cost: linear in the classes.
    static func storage(of property: Property, in schema: Schema) -> FieldStorage {
        storage(of: property) { schema.objectClass(named: $0)?.kind }
    }

    /// Returns the storage of a property, where `kind` knows the kinds of classes by their names.
    static func storage(
        of property: Property, _ kind: (_ className: String) -> ObjectClass.Kind?
    ) -> FieldStorage {
        func element(_ type: ElementType) -> ElementStorage {
            switch type {
            case .scalar(let scalar): ElementStorage(scalar)
            case .object(let name): kind(name) == .embedded ? .embedded : .link
            }
        }
        switch property.type {
        case .single(let type): return FieldStorage(.single, element(type))
        case .list(let type): return FieldStorage(.list, element(type))
        case .set(let type): return FieldStorage(.set, element(type))
        case .map(let type): return FieldStorage(.map, element(type))
        case .linkingObjects: return FieldStorage(.none, .link)
        }
    }

    private static func compile(
        _ schema: Schema, _ classes: [StoredClass], _ projections: [Projection]
    ) -> RowSchema {
        var positions = [ExactText: Int](minimumCapacity: schema.classes.count)
        for (position, objectClass) in schema.classes.enumerated() {
            positions[objectClass.name] = position
        }
        func objectClass(_ name: String) -> ObjectClass? {
            positions[name].map { schema.classes[$0] }
        }
        func kind(_ name: String) -> ObjectClass.Kind? {
            positions[name].map { schema.classes[$0].kind }
        }
        let members = classes.map { stored in
            zip(stored.definition.properties, stored.propertyNumbers).map { property, number in
                var member = RowClass.Member(
                    number: number, storage: storage(of: property, kind),
                    isOptional: property.isOptional || property.scalar == .mixed,
                    classIndex: -1, originProperty: -1,
                    isIndexed: property.keepsIndex, narrowRange: property.scalar?.narrowRange)
                member.hasCases = property.cases != nil
                member.isUnique = property.isUnique
                member.isRequired = property.isRequired
                member.takesUser = property.defaultValue == .user
                member.onDelete = property.onDelete
                switch property.type {
                case .linkingObjects(let className, let originName):
                    member.classIndex = positions[className] ?? -1
                    let origin = objectClass(className)
                    member.originProperty = origin?.propertyIndex(named: originName) ?? -1
                    member.showsEmbedded = origin?.kind == .embedded
                default:
                    if case .object(let target)? = property.type.element {
                        member.classIndex = positions[target] ?? -1
                    }
                }
                return member
            }
        }
        let linking = linkingClasses(members)
        let compiled = classes.indices.map { position in
            RowClass(
                index: position, number: classes[position].number,
                definition: classes[position].definition, members: members[position],
                layouts: classes[position].layouts,
                linkingMembers: members[position].indices.filter {
                    holdsLinks(members[position][$0], linking)
                }, rowSpace: classes[position].spaces?.rows,
                keySpace: classes[position].spaces?.keys,
                uniqueGroups: uniqueGroups(of: classes[position]),
                searchIndexes: searchIndexes(of: classes[position]))
        }
        return RowSchema(definition: schema, classes: compiled, projections: projections)
    }

    private static func uniqueGroups(of stored: StoredClass) -> [UniqueKey] {
        zip(stored.definition.uniqueGroups, stored.groupNumbers).map { names, number in
            UniqueKey(
                number: number,
                members: names.compactMap { stored.definition.propertyIndex(named: $0) },
                isGroup: true)
        }
    }

    private static func searchIndexes(of stored: StoredClass) -> [SearchIndex] {
        stored.definition.properties.enumerated().compactMap { member, property in
            guard let kind = property.searchIndex, let number = stored.searchNumbers[member] else {
                return nil
            }
            return SearchIndex(kind: kind, number: number, member: member)
        }
    }

    private static func holdsLinks(_ member: RowClass.Member, _ linking: [Bool]) -> Bool {
        if member.storage.element == .mixed { return true }
        guard member.storage.shape != .none, member.classIndex >= 0 else { return false }
        return member.storage.element == .link || linking[member.classIndex]
    }

    /// Finds the classes that have links in their rows, also through embedded objects, which may be recursive.
    private static func linkingClasses(_ members: [[RowClass.Member]]) -> [Bool] {
        let direct = members.map { members in
            members.contains {
                $0.storage.element == .mixed
                    || $0.storage.element == .link && $0.storage.shape != .none
            }
        }
        return RowConverter.spread(direct) { members[$0] }
    }
}
