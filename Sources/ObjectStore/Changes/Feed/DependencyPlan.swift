import HoldfastQuery
import HoldfastRows

/// The reads of a query, as the properties of its own objects and as watches on others.
struct DependencyPlan: Sendable {
    /// Properties of the query's own objects, inverse links included.
    private(set) var ownMembers = MemberSet()
    /// The watches on others, each once.
    private(set) var watches: [LinkedDependency] = []

    /// - `dependencies`: The reads, including the reads on the way to other objects.
    init(_ dependencies: [Dependency], schema: RowSchema) {
        var seen: Set<LinkedDependency> = []
        func add(_ watch: LinkedDependency) {
            if seen.insert(watch).inserted { watches.append(watch) }
        }
        for var dependency in dependencies {
            let read = schema.classes[dependency.classIndex].members[dependency.member]
            if read.originProperty >= 0 {
                // An inverse link read at the end of the path.
                let back = PathStep(
                    along: dependency.member, of: schema.classes[dependency.classIndex])
                dependency.classIndex = read.classIndex
                dependency.member = read.originProperty
                dependency.path.append(back)
            }
            if let last = dependency.path.last, last.kind == .inverse,
                last.toClass == dependency.classIndex, last.member == dependency.member
            {
                let number = schema.classes[last.toClass].members[last.member].number
                add(
                    LinkedDependency(
                        trigger: .loss(classIndex: last.fromClass, propertyNumber: number),
                        steps: dependency.path.dropLast(), firstMember: dependency.firstMember))
            }
            let watched = Self.atOwner(dependency, schema)
            if watched.path.isEmpty {
                ownMembers.insert(watched.member)
            } else {
                add(
                    LinkedDependency(
                        trigger: .property(classIndex: watched.classIndex, member: watched.member),
                        steps: watched.path, firstMember: watched.firstMember))
            }
        }
    }

    /// Embedded objects change with their owner, so a property in one is watched as the owner's property.
    private static func atOwner(_ dependency: Dependency, _ schema: RowSchema) -> Dependency {
        var watched = dependency
        while let last = watched.path.last, last.kind != .inverse, last.kind != .holder,
            schema.classes[watched.classIndex].definition.kind == .embedded,
            last.toClass == watched.classIndex
        {
            watched.path.removeLast()
            watched.member = last.member
            watched.classIndex = last.fromClass
        }
        return watched
    }
}
