// Finds the features of a table that matter. Written without Nextflow at hand: it has not been run.
process TAMIS_SELECT {
    tag "$meta.id"
    label 'process_low'

    conda "${moduleDir}/environment.yml"

    input:
    tuple val(meta), path(table)
    val target

    output:
    tuple val(meta), path("*.json")    , emit: json
    tuple val(meta), path("*.csv")     , emit: csv
    tuple val(meta), path("*.html")    , emit: report
    path "versions.yml"                , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    tamis select \\
        $table \\
        --target '$target' \\
        --threads $task.cpus \\
        --json ${prefix}.tamis.json \\
        --csv ${prefix}.tamis.csv \\
        --report ${prefix}.tamis.html \\
        $args

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        tamis: \$(tamis --version | sed 's/^tamis //; s/ .*//')
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.tamis.json ${prefix}.tamis.csv ${prefix}.tamis.html
    touch versions.yml
    """
}
