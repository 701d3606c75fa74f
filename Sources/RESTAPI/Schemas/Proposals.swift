import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastTransfer

// Proposals of classes.
extension RESTService {
    /// `POST /v1/schema/propose`: proposes a class for a sample of a file. Changes nothing.
    func proposeClass(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let sample = GuessSample(request.body)
        let options = try guessOptions(request, sample)
        let caller = caller(request)
        return answerFromJob(expecting: .long) { job throws(RequestFault) in
            try self.served.withRead(for: caller, in: job) { read throws(RequestFault) in
                try ClassProposal(of: sample, options, read)
            }.map { proposal in
                Response.json(200) { proposal.write(to: $0, encoding: ObjectPath.segment) }
            }
        }
    }

    /// Reads the parameters, which are the import's as far as they say how a text is written.
    private func guessOptions(
        _ request: Request, _ sample: GuessSample
    ) throws(RequestFault) -> GuessOptions {
        var reading = transfers.importOptions
        let form = try sampleForm(request) ?? sample.form
        reading.format = form == .csv ? .csv : .extendedJSON
        try readForm(request, &reading)
        var options = GuessOptions(reading)
        options.form = form
        options.hasDelimiter = request[query: "delimiter"] != nil
        if let name = request[query: "class"] { options.className = name.string }
        return options
    }

    /// The form of a sample, by its media type; nil without one.
    private func sampleForm(_ request: Request) throws(RequestFault) -> GuessSample.Form? {
        guard let type = request.mediaTypeParts.first else { return nil }
        if type == "text/csv" { return .csv }
        if Self.geoJSONTypes.contains(type) { return .geoJSON }
        if Self.ndjsonTypes.contains(type) || type == "application/json" { return .json }
        throw RequestFault(
            .unsupportedMediaType, "unsupported-media-type",
            "A class is proposed for CSV (text/csv), one JSON object a line (application/x-ndjson), an array of "
                + "objects (application/json), and GeoJSON (application/geo+json). Set the header Content-Type, or "
                + "leave it out: then the first character shows the form.",
            alternatives: "text/csv, application/x-ndjson, application/json, application/geo+json")
    }
}
