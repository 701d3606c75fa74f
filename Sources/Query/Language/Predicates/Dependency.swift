import HoldfastRows

/// A property that decides whether an object matches, how it sorts or how it is shown.
///
/// When a property of an object changes, the objects concerned are found by taking `path` backwards from that object: a forward
/// step is taken back along the inverse links of its property (or to the owner, for an embedded object), an inverse step along
/// the link itself. Where the last step is an inverse one, it leads from the link's target to the object that holds the link, so
/// that both the old and the new targets of a changed link begin the way back.
///
/// A property of an embedded object changes with the property of the owner that holds it, which is a dependency as well.
package struct Dependency: Hashable, Sendable {
    /// The class that has the property, by position in the schema.
    package var classIndex: Int
    /// The property, by position in its class.
    package var member: Int
    /// The way from the root object to the object that has the property; empty for the root itself.
    package var path: [PathStep]
    /// The property of the root class through which it is read; nil for `@links`.
    package var firstMember: Int?

    package init(classIndex: Int, member: Int, path: [PathStep], firstMember: Int?) {
        self.classIndex = classIndex
        self.member = member
        self.path = path
        self.firstMember = firstMember
    }

    /// Adds the numbers of the property and of the properties on the way to it, inverse links included.
    package func addProperties(to numbers: inout Set<UInt32>, _ schema: RowSchema) {
        for step in path {
            let isInverse = step.kind == .inverse || step.kind == .holder
            let holder = schema.classes[isInverse ? step.toClass : step.fromClass]
            numbers.insert(holder.members[step.member].number)
            if step.inverseLink >= 0 {
                numbers.insert(schema.classes[step.fromClass].members[step.inverseLink].number)
            }
        }
        let read = schema.classes[classIndex].members[member]
        numbers.insert(read.number)
        if read.originProperty >= 0 {
            numbers.insert(schema.classes[read.classIndex].members[read.originProperty].number)
        }
    }

    /// The same from where a way begins that leads to the root object.
    ///
    /// - `firstMember`: The property that the way begins with.
    package func behind(_ way: [PathStep], firstMember: Int?) -> Dependency {
        Dependency(
            classIndex: classIndex, member: member, path: way + path, firstMember: firstMember)
    }
}

extension Dependency {
    /// The properties that hold the links and embedded objects of a way.
    package static func along(_ steps: [PathStep], firstMember: Int?) -> [Dependency] {
        steps.indices.map { index in
            let step = steps[index]
            let isInverse = step.kind == .inverse || step.kind == .holder
            return Dependency(
                classIndex: isInverse ? step.toClass : step.fromClass, member: step.member,
                path: Array(steps[..<(isInverse ? index + 1 : index)]), firstMember: firstMember)
        }
    }
}

extension ValuePath {
    /// Finds the properties that the path reads.
    package func dependencies(_ schema: RowSchema) -> [Dependency] {
        var found = Dependency.along(steps, firstMember: firstMember)
        func addInverse(_ originClass: Int, _ member: Int) {
            let step = PathStep(
                backTo: originClass, member, from: schema.classes[lastClass], by: inverseLink)
            found.append(
                Dependency(
                    classIndex: originClass, member: member, path: steps + [step],
                    firstMember: firstMember))
        }
        switch terminal {
        case .value(let member), .elements(let member), .elementAt(let member, _),
            .keys(let member), .lengths(let member), .count(let member), .objectCount(let member),
            .byteCount(let member), .presence(let member), .presenceAt(let member, _),
            .byteCountAt(let member, _), .aggregate(_, let member),
            .objectAggregate(_, let member):
            found.append(
                Dependency(
                    classIndex: lastClass, member: member, path: steps, firstMember: firstMember))
        case .inverse(let originClass, let member), .inverseCount(let originClass, let member),
            .holder(let originClass, let member), .holderCount(let originClass, let member):
            addInverse(originClass, member)
        case .incomingCount:
            for origin in schema.classes where !origin.isAsymmetric {
                for (member, compiled) in origin.members.enumerated()
                where compiled.storage.element == .mixed
                    || compiled.storage.element == .link && compiled.storage.shape != .none
                        && compiled.classIndex == lastClass
                {
                    addInverse(origin.index, member)
                }
            }
        case .mixed(let member, let path):
            found.append(
                Dependency(
                    classIndex: lastClass, member: member, path: steps, firstMember: firstMember))
            var reach = MixedDependencies(schema: schema, firstMember: firstMember)
            found += reach.dependencies(lastClass, member, path.steps[...], steps)
        case .matchCount(let predicate):
            found += predicate.dependencies(schema).map {
                $0.behind(steps, firstMember: firstMember)
            }
        case .subject, .subjectByteCount, .subjectMixed: break
        }
        return found
    }
}

extension ValuePath {
    /// The classes, by position, with objects for which links are counted through every property (`@links.@count`).
    package var linkCountClasses: Set<Int> {
        switch terminal {
        case .incomingCount: [lastClass]
        case .matchCount(let predicate): predicate.linkCountClasses
        default: []
        }
    }
}

extension Predicate {
    /// The classes, by position, with objects for which links are counted through every property (`@links.@count`).
    package var linkCountClasses: Set<Int> {
        var found: Set<Int> = []
        forEachPath { found.formUnion($0.linkCountClasses) }
        return found
    }

    /// Finds every property that the predicate reads, each once, in the order of the text.
    ///
    /// - `budget`: The budget that pays for it: a path may read very many properties.
    package func dependencies(
        _ schema: RowSchema, within budget: Budget = Budget()
    ) -> [Dependency] {
        var seen: Set<Dependency> = []
        var found: [Dependency] = []
        var paths: Set<ValuePath> = []
        forEachPath { path in
            // A path with NaN in the condition of a subquery does not equal itself, and is examined again.
            guard budget.spend(), paths.insert(path).inserted else { return }
            for dependency in path.dependencies(schema)
            where budget.spend() && seen.insert(dependency).inserted {
                found.append(dependency)
            }
        }
        return found
    }

    /// Hands every path in the predicate to `body`.
    func forEachPath(_ body: (ValuePath) -> Void) { forEachOperand { $0.forEachPath(body) } }

    /// Hands every operand in the predicate to `body`.
    func forEachOperand(_ body: (Operand) -> Void) {
        switch self {
        case .constant: return
        case .not(let part): part.forEachOperand(body)
        case .and(let parts), .or(let parts): for part in parts { part.forEachOperand(body) }
        case .comparison(let comparison):
            body(comparison.left)
            body(comparison.right)
        case .within(let condition): for path in condition.readPaths { body(.path(path, nil)) }
        }
    }
}
