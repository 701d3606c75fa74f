import HoldfastQuery
import Synchronization

/// The conditions of `where` in the program, parsed.
///
/// Their texts have no values in them, so that each is soon the same again. Texts of `filter` may be any.
enum ParsedConditions {
    private static let known = Mutex<[String: ParsedQuery]>([:])
    private static let countMax = 1024

    /// Returns a condition. Cost: a look-up, but for the first time.
    static func parsed(_ text: String) throws(QueryError) -> ParsedQuery {
        if let found = known.withLock({ $0[text] }) { return found }
        let parsed = try ParsedQuery(text)
        known.withLock {
            if $0.count >= countMax { $0 = [:] }
            $0[text] = parsed
        }
        return parsed
    }
}
