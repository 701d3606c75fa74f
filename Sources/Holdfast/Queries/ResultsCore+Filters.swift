import HoldfastQuery

extension ResultsCore {
    /// The elements that meet a condition as well, with the arguments of a program.
    func filtered(_ text: String, _ arguments: [Any]) throws(InvalidQuery) -> ResultsCore {
        let format = PredicateFormat(text)
        return try filtered(try QueryArguments.values(arguments)) { () throws(QueryError) in
            try ParsedQuery(format.text)
        }
    }

    /// The elements that meet a condition in Swift as well.
    func filtered<Element>(
        _ condition: (Query<Element>) -> Query<Bool>
    ) throws(InvalidQuery) -> ResultsCore {
        let (text, arguments) = condition(Query()).expression.condition.rendered
        return try filtered(try QueryArguments.values(arguments)) { () throws(QueryError) in
            try ParsedConditions.parsed(text)
        }
    }

    /// The position of the first element that further results of the same base have.
    func position(of others: ResultsCore) -> Int? {
        others.keys.first.flatMap { keys.firstIndex(of: $0) }
    }
}
