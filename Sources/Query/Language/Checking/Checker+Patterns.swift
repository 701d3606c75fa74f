import HoldfastObjectModel
import HoldfastText

/// MATCHES and TEXT, with a right side that has a syntax of its own.
extension Checker {
    /// Refuses invalid regular expressions and searches, and left sides that can't have one.
    ///
    /// - `type`: That of the path.
    func checkPattern(
        _ comparison: Comparison, _ type: ValueType, texts: (Syntax.Operand, Syntax.Operand),
        at start: Int
    ) throws(QueryError) {
        let isText = comparison.comparison == .text
        let name = comparison.comparison.rawValue
        guard case .path = comparison.left else {
            throw source.fault(
                .type,
                "'\(name)' takes a property on its left and the text to find on its "
                    + "right.", at: texts.0.start)
        }
        guard type == .scalar(.string) || (type == .scalar(.mixed) && !isText) else {
            throw source.fault(
                .type,
                "Unsupported comparison operator '\(name)' against type '\(type.name)', left side "
                    + "must be a string", at: start)
        }
        guard case .constant(.string(let text)) = comparison.right else {
            throw source.fault(
                .type,
                "'\(name)' takes one text on its right: "
                    + (isText ? "words" : "a regular expression")
                    + " in quotes, or an argument that is a string.", at: texts.1.start)
        }
        let error = isText ? fault(ofSearch: text) : fault(ofPattern: text, comparison)
        guard let (kind, message) = error else { return }
        var argument: Int?
        if case .constant(let constant) = texts.1, case .argument(let index) = constant.kind {
            argument = index
        }
        throw source.fault(kind, message, at: texts.1.start, argument: argument)
    }

    /// Refuses a literal pattern with the wildcards of SQL, which would not find the intended values.
    func checkWildcards(_ pattern: Operand, _ text: Syntax.Operand) throws(QueryError) {
        guard case .constant(.string(let literal)) = pattern, case .constant(let constant) = text,
            case .value = constant.kind, literal.hasPrefix("%") || literal.hasSuffix("%"),
            !literal.contains("*"), !literal.contains("?")
        else { return }
        throw source.fault(
            .type,
            "LIKE has the wildcards '*', for any characters, and '?', for one; '%' means itself. Use "
                + "'==', BEGINSWITH or CONTAINS to find it.", at: text.start,
            hint: "'" + literal.map { $0 == "%" ? "*" : $0 } + "'")
    }

    private func fault(ofPattern text: String, _ comparison: Comparison)
        -> (QueryError.Kind, String)?
    {
        guard text.utf8.count <= TextPattern.byteCountMax else {
            return (
                .limit,
                "A regular expression has at most \(TextPattern.byteCountMax) bytes; this one has "
                    + "\(text.utf8.count)."
            )
        }
        work.patternEffort += TextPattern.effort(
            of: text, ignoresCase: comparison.relation.ignoresCase)
        guard work.patternEffort <= TextPattern.effortMax else {
            return (
                .limit,
                "The regular expressions of a query have too many classes of characters, such as \\p{L} or [^a]: at most "
                    + "\(TextPattern.effortMax), or \(TextPattern.effortMax / 100) where case does not count."
            )
        }
        guard work.budget.checkLimits() else {
            let error = source.givenUp()
            return (error.kind, error.message)
        }
        do throws(TextPattern.Fault) {
            _ = try comparison.relation.pattern(text)
            return nil
        } catch {
            let position = error.offset.map { " near its character \($0 + 1)" } ?? ""
            return (
                .syntax,
                "'\(Self.describe(.string(text)))' is not a regular expression\(position): "
                    + "\(error.reason)."
            )
        }
    }

    private func fault(ofSearch text: String) -> (QueryError.Kind, String)? {
        do throws(TextSearch.Fault) {
            _ = try TextSearch(text)
            return nil
        } catch {
            switch error {
            case .noWords: return (.syntax, "The text to search for has no words.")
            case .tooMany: return (.limit, "A search has at most \(TextSearch.termCountMax) words.")
            case .contradiction(let word):
                return (.syntax, "The word '\(word)' is both asked for and excluded.")
            }
        }
    }
}
