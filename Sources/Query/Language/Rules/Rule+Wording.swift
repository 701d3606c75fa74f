import HoldfastRows

// Findings about the text of a valid rule that may not mean the intended condition.
extension Rule {
    /// Values that users may lack, which takes from them all that a rule allows.
    package enum LackedValue: Hashable, Sendable {
        /// The id, of visitors without a token.
        case id
        /// A claim, by the names that lead to it.
        case claim([String])
        /// The user's object.
        case object
        /// A value of the user's object, or of an object that it leads to, that may be null.
        case value(ValuePath)
    }

    /// A part of a rule that allows something by itself: one side of an OR, or several that ask for the same values of the user.
    package struct Alternative: Sendable {
        package var text: String
        /// Whether it concerns only the user and contains no property of the object.
        package let isOfUser: Bool
        /// The texts that ask for values of the user which other alternatives do not need.
        package var references: [String]
        fileprivate let lacked: Set<LackedValue>
    }

    /// The alternatives of the first OR that ask for different values of the user. A user without one of these values
    /// is allowed nothing, also by the other alternatives. Empty if the rule has no such OR.
    ///
    /// - `mayLackID`: Whether the rule is for visitors without a token, too.
    package func unevenAlternatives(mayLackID: Bool) -> [Alternative] {
        for sides in structure.alternatives {
            var groups: [Alternative] = []
            for side in sides {
                let places = userPlaces.filter { side.contains($0.range.lowerBound) }
                let missing = Set(places.flatMap { lacked($0.reference, mayLackID: mayLackID) })
                let text = String(source.text(side).drop(while: \.isWhitespace))
                if let index = groups.firstIndex(where: { $0.lacked == missing }) {
                    groups[index].text += " OR " + text
                    continue
                }
                groups.append(
                    Alternative(
                        text: text, isOfUser: !places.isEmpty && !namesObject(side),
                        references: places.map { source.text($0.range) }, lacked: missing))
            }
            guard groups.count > 1 else { continue }
            let common = groups.dropFirst().reduce(groups[0].lacked) { $0.intersection($1.lacked) }
            for index in groups.indices where groups[index].lacked.isSubset(of: common) {
                groups[index].references = []
            }
            return groups
        }
        return []
    }

    /// Whether a part of the text names a property of the object that the rule is about.
    private func namesObject(_ part: Range<Int>) -> Bool {
        names.contains { name in
            part.contains(name.start) && !userPlaces.contains { $0.range.contains(name.start) }
        }
    }

    /// The texts of the claims after a NOT. A user without such a claim is allowed nothing, and not everything.
    package var negatedClaims: [String] {
        userPlaces.filter { place in
            guard case .claim = place.reference else { return false }
            return structure.negations.contains { $0.contains(place.range.lowerBound) }
        }.map { source.text($0.range) }
    }

    /// The texts in quotes that look like a value of the user, such as `$user.id`, each with its column.
    package var quotedUsers: [(text: String, column: Int)] {
        structure.strings.compactMap { range in
            let text = source.text(
                (range.lowerBound + 1)..<max(range.lowerBound + 1, range.upperBound - 1))
            let rest = text.utf8.dropFirst(Checker.userName.utf8.count)
            guard text.utf8.starts(with: Checker.userName.utf8),
                [nil, UInt8(ascii: "."), UInt8(ascii: "[")].contains(rest.first)
            else { return nil }
            return (text, source.column(range.lowerBound))
        }
    }

    private func lacked(_ reference: UserReference, mayLackID: Bool) -> [LackedValue] {
        switch reference {
        case .id: return mayLackID ? [.id] : []
        case .claim(let names): return [.claim(names)]
        case .object(let path):
            // An empty list is not a missing value.
            guard !path.isMany else { return [.object] }
            switch path.terminal {
            case .value(let member)
            where path.steps.isEmpty && !schema.classes[path.lastClass].members[member].isOptional:
                return [.object]
            case .value, .elementAt, .byteCount, .byteCountAt, .aggregate, .objectAggregate, .mixed:
                return [.object, .value(path)]
            default: return [.object]
            }
        }
    }

    private var structure: RuleStructure { RuleStructure(source) }
}

/// The parts of a rule's text that ORs and NOTs make, as ranges of its bytes.
private struct RuleStructure {
    /// The sides of each OR, and of each text without an OR.
    var alternatives: [[Range<Int>]] = []
    /// The conditions after NOTs.
    var negations: [Range<Int>] = []
    /// The texts in quotes.
    var strings: [Range<Int>] = []

    /// A text in parentheses, braces or brackets, or the whole.
    private struct Level {
        var start: Int
        var sides: [Range<Int>] = []
        var negationStarts: [Int] = []
    }

    /// Cost: linear in the text.
    init(_ source: SourceText) {
        var lexer = Lexer(source)
        var levels = [Level(start: 0)]
        var end = 0
        while let token = try? lexer.next(), let last = levels.indices.last {
            switch token.kind {
            case .leftParenthesis, .leftBrace, .leftBracket: levels.append(Level(start: token.end))
            case .rightParenthesis, .rightBrace, .rightBracket, .end:
                closeNegations(&levels[last], end)
                closeSide(&levels[last], end)
                if levels[last].sides.count > 1 { alternatives.append(levels[last].sides) }
                levels.removeLast()
            case .or:
                closeNegations(&levels[last], end)
                closeSide(&levels[last], end)
                levels[last].start = token.end
            case .and: closeNegations(&levels[last], end)
            // The preceding tokens are an argument of their own.
            case .comma: levels[last] = Level(start: token.end)
            case .not: levels[last].negationStarts.append(token.start)
            case .string: strings.append(token.start..<token.end)
            default: break
            }
            end = token.end
        }
    }

    private func closeSide(_ level: inout Level, _ end: Int) {
        level.sides.append(min(level.start, end)..<end)
    }

    private mutating func closeNegations(_ level: inout Level, _ end: Int) {
        negations += level.negationStarts.map { $0..<end }
        level.negationStarts = []
    }
}
