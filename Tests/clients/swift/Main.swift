// Uses the client that openapi-generator makes for Swift 6, compiled into one module with it.
import Foundation

@main
enum Main {
    /// A link that was not expanded is its key.
    static func key(_ link: CityCountry?) -> String {
        if case .typeString(let key)? = link { key } else { "\(String(describing: link))" }
    }

    static func number(_ value: HoldfastDouble?) -> String {
        if case .typeDouble(let number)? = value { "\(number)" } else { "none" }
    }

    static func main() async throws {
        OpenAPIClientAPIConfiguration.shared.basePath = CommandLine.arguments[1]
        if CommandLine.arguments.count > 2 {
            await callAll()
            return print("called", await report.count)
        }

        let read = try await CityAPI.getCity(id: 1)
        print("read", read.name ?? "", key(read.country), number(read.rating))

        let body = CreateCityRequest(
            id: 10, name: "New", country: .typeString("FR"), rating: .typeDouble(1.5))
        guard case .typeCity(let created)? = try await CityAPI.createCity(createCityRequest: body)
        else { return print("the reply is not the city") }
        print("created", created.name ?? "", key(created.country), number(created.rating))

        let patch = CityPatch(population: 7, country: .typeString("IS"))
        let changed = try await CityAPI.patchCity(id: 10, cityPatch: patch)
        print("changed", changed?.population ?? 0, key(changed?.country))

        let done = try await TransactionsAPI.createTransaction(
            holdfastTransaction: HoldfastTransaction(operations: [
                HoldfastOperation(
                    op: .put, _class: "Country", id: .string("XN"),
                    value: .dictionary(["name": .string("Newland")]), ref: "land"),
                HoldfastOperation(
                    op: .patch, _class: "City", id: .int(10),
                    value: .dictionary(["country": .dictionary(["$ref": .string("land")])])),
            ]))
        let results = done.results.map { result in
            switch result.id {
            case .string(let text): "\(result._class) \(text)"
            case .int(let number): "\(result._class) \(number)"
            default: "\(result._class) ?"
            }
        }
        print("transaction", results.joined(separator: ", "))

        let expanded = try await CityAPI.getCity(id: 10, expand: "country")
        guard case .typeCountry(let country)? = expanded.country else {
            return print("the link is not expanded")
        }
        print("expanded", country.name ?? "")
    }
}
