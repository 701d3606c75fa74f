import HoldfastQuery
import HoldfastRows

extension Sight {
    /// The rules that decide about the objects behind some steps: whether they are seen, and which of their properties.
    struct Admission {
        /// The class of the objects, or of those that hold them.
        let classIndex: Int
        let rules: [Predicate]
        let steps: [PathStep]
        /// See ``Dependency/firstMember``; that of the rules themselves where no step leads to the objects.
        let firstMember: Int?

        /// The properties that the rules read, some of them more than once.
        func dependencies(_ schema: RowSchema) -> [Dependency] {
            rules.flatMap { $0.dependencies(schema) }.map {
                steps.isEmpty ? $0 : $0.behind(steps, firstMember: firstMember)
            }
        }
    }

    /// The reads that decide, beside the objects that are read, about what is shown of them.
    ///
    /// The rules of the class, those of each class on the way of a path, and those of the classes that shown links lead to. A link
    /// within embedded objects counts wherever it stands there.
    ///
    /// - Parameters:
    ///   - reads: What is read of some objects, or behind them.
    ///   - rootClass: The class of the objects that paths begin at.
    ///   - isWhole: Whether all links of the objects themselves are shown.
    /// - Returns: The rules, some of them more than once.
    func admissions(
        toRead reads: [Dependency], from rootClass: Int, isWhole: Bool
    ) -> [Admission] {
        var found = admission(to: rootClass, behind: [], firstMember: nil)
        var places: Set<[PathStep]> = []
        for read in reads {
            for count in read.path.indices {
                let steps = Array(read.path[...count])
                guard places.insert(steps).inserted, let last = steps.last else { continue }
                found += admission(to: last.toClass, behind: steps, firstMember: read.firstMember)
                // An embedded object that links here is seen with what holds it, which is where the link comes from.
                guard last.kind == .inverse else { continue }
                for owner in schema.ownerClasses(of: last.toClass) {
                    found += admission(to: owner, behind: steps, firstMember: read.firstMember)
                }
            }
            found += targets(
                of: read.member, of: read.classIndex, behind: read.path,
                firstMember: read.firstMember)
        }
        if isWhole {
            for member in parts[rootClass].links {
                found += targets(of: member, of: rootClass, behind: [], firstMember: member)
            }
        }
        return found
    }

    /// Whether some reads may be of what is shown otherwise than it is stored, such as null.
    ///
    /// - `rootClass`: The class of the objects that paths begin at.
    func alters(anyOf reads: [Dependency], from rootClass: Int) -> Bool {
        reads.contains { read in
            guard let first = read.path.first else {
                return parts[rootClass].altered.contains(read.member)
            }
            return alters(read)
                || parts[rootClass].altered.contains(first.member)
                // An embedded object that links here is seen where what holds it is, whatever that is.
                || read.path.contains { step in
                    step.kind == .inverse
                        && schema.classes[step.toClass].definition.kind == .embedded
                }
        }
    }

    /// Whether the end of a read may be shown otherwise than it is stored, or an inverse link that leads there is hidden on some objects.
    func alters(_ read: Dependency) -> Bool {
        alters(read.member, of: read.classIndex)
            || read.path.contains { $0.inverseLink >= 0 && hides($0.inverseLink, of: $0.fromClass) }
    }

    /// A read behind any element of a list, in place of one at a position, where what stands before it may be hidden.
    func withoutPositions(_ read: Dependency) -> Dependency {
        var read = read
        for index in read.path.indices {
            let step = read.path[index]
            guard case .linkAt(let position) = step.kind, mayHideObjects(of: step.toClass) else {
                continue
            }
            if case .key = position { continue }
            read.path[index].kind = .links
        }
        return read
    }

    /// The reads that decide whether the objects of a class are seen, and which of their properties.
    private func admission(
        to classIndex: Int, behind steps: [PathStep], firstMember: Int?
    ) -> [Admission] {
        let part = parts[classIndex]
        guard part.own != nil, part.isConcerned else { return [] }
        return [
            Admission(
                classIndex: classIndex, rules: part.rules, steps: steps, firstMember: firstMember)
        ]
    }

    /// The reads that decide whether the targets of a property are seen.
    private func targets(
        of member: Int, of classIndex: Int, behind steps: [PathStep], firstMember: Int?
    ) -> [Admission] {
        let rowClass = schema.classes[classIndex]
        guard member >= 0, rowClass.linkingMembers.contains(member) else { return [] }
        return links(of: rowClass.members[member], at: member, of: rowClass, within: [])
            .compactMap { way in
                // Which of their properties are seen is no matter of the link.
                guard let target = way.last?.toClass, parts[target].own != nil,
                    let rule = parts[target].rule
                else { return nil }
                return Admission(
                    classIndex: target, rules: [rule], steps: steps + way, firstMember: firstMember)
            }
    }

    /// The steps from an object along the links that a property holds.
    ///
    /// - `outer`: The embedded classes around the property.
    private func links(
        of compiled: RowClass.Member, at member: Int, of rowClass: RowClass, within outer: Set<Int>
    ) -> [[PathStep]] {
        func anywhere(_ target: Int) -> [PathStep] {
            [
                PathStep(
                    kind: .mixedLinks, fromClass: rowClass.index, toClass: target, member: member)
            ]
        }
        switch compiled.storage.element {
        case .link:
            // Within embedded objects it need not stand where one way leads.
            return outer.isEmpty
                ? [[PathStep(along: member, of: rowClass)]] : [anywhere(compiled.classIndex)]
        case .embedded:
            guard !outer.contains(compiled.classIndex) else { return [] }
            let inner = schema.classes[compiled.classIndex]
            let found = inner.linkingMembers.flatMap {
                links(
                    of: inner.members[$0], at: $0, of: inner,
                    within: outer.union([compiled.classIndex]))
            }
            let step = PathStep(along: member, of: rowClass)
            return outer.isEmpty ? found.map { [step] + $0 } : found
        default:
            return schema.classes.filter { parts[$0.index].rule != nil }.map { anywhere($0.index) }
        }
    }
}
